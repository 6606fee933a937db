import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// External values whose files are missing or cannot be written.
@Suite struct MissingFileTests {
  private static let photo = Data(repeating: 1, count: SQLiteStore.Limits.externalDataBytes)

  private static func model() -> NSManagedObjectModel {
    let album = NSEntityDescription()
    album.name = "Album"
    let title = NSAttributeDescription()
    (title.name, title.attributeType, title.isOptional) = ("title", .stringAttributeType, true)
    let photo = NSAttributeDescription()
    (photo.name, photo.attributeType, photo.isOptional) = ("photo", .binaryDataAttributeType, true)
    photo.allowsExternalBinaryDataStorage = true
    album.properties = [title, photo]
    let model = NSManagedObjectModel()
    model.entities = [album]
    return model
  }

  private func office(in folder: URL) throws -> Office {
    try Office(model: Self.model(), at: folder.appendingPathComponent("Albums.sqlite"))
  }

  private func albums(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Album"))
  }

  private func makeAlbum(_ context: NSManagedObjectContext) -> NSManagedObject {
    let album = context.insert("Album")
    album.setValue("Sun", forKey: "title")
    album.setValue(Self.photo, forKey: "photo")
    return album
  }

  @Test func `An object with a missing file can be read, changed and deleted`() throws {
    try withTemporaryDirectory { folder in
      let made = try office(in: folder).context
      _ = makeAlbum(made)
      try made.save()
      try FileManager.default.removeItem(at: folder.appendingPathComponent(".Albums_SUPPORT"))
      let context = try self.office(in: folder).context
      let album = try #require(try albums(context).first)
      #expect(album.value(forKey: "title") as? String == "Sun")
      #expect(album.value(forKey: "photo") == nil)
      #expect(throws: CocoaError.self) { try album.binaryData(forKey: "photo") }
      album.setValue("Moon", forKey: "title")
      try context.save()
      #expect(throws: CocoaError.self) { try album.binaryData(forKey: "photo") }
      album.setValue(Self.photo, forKey: "photo")
      try context.save()
      #expect(try album.binaryData(forKey: "photo") == Self.photo)
      context.delete(album)
      try context.save()
      #expect(try albums(context).isEmpty)
    }
  }

  /// The step that fails, and the number of its successes before.
  ///
  /// The file is synced first, and then its folder.
  @Test(arguments: [
    (WatchedFiles.Step.makeFolder, 0), (.write, 0), (.synchronize, 0), (.move, 0),
    (.synchronize, 1),
  ])
  func `A save whose file cannot be written says why, saves nothing and can be retried`(
    step: WatchedFiles.Step, successes: Int
  ) throws {
    try withTemporaryDirectory { folder in
      let disk = FullDisk(at: step, after: successes)
      var dependencies = StackDependencies.current
      dependencies.files = WatchedFiles(before: { done, _ in try disk.take(done) })
      let context = try StackDependencies.$current.withValue(dependencies) {
        try self.office(in: folder).context
      }
      let album = makeAlbum(context)
      let identifier = album.objectID
      let error = try #require(throws: CocoaError.self) { try context.save() }
      #expect(error.code == .fileWriteOutOfSpace)
      #expect(album.objectID == identifier && identifier.isTemporaryID)
      let values = folder.appendingPathComponent(".Albums_SUPPORT/_EXTERNAL_DATA").path
      #expect(((try? FileManager.default.contentsOfDirectory(atPath: values)) ?? []).isEmpty)
      disk.makeRoom()
      try context.save()
      #expect(
        try albums(self.office(in: folder).context).first?.value(forKey: "photo") as? Data
          == Self.photo)
    }
  }
}

/// A disk on which one step fails after a number of successes, until there is room.
private final class FullDisk: Sendable {
  private let step: WatchedFiles.Step
  private let remaining: Mutex<Int?>

  init(at step: WatchedFiles.Step, after successes: Int) {
    self.step = step
    remaining = Mutex(successes)
  }

  func take(_ done: WatchedFiles.Step) throws {
    guard done == step else { return }
    try remaining.withLock { remaining in
      guard let left = remaining else { return }
      guard left > 0 else { throw CocoaError(.fileWriteOutOfSpace) }
      remaining = left - 1
    }
  }

  func makeRoom() { remaining.withLock { $0 = nil } }
}
