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
  /// The parents of the two new folders are synced first, then the file, and then its folder.
  @Test(arguments: [
    (WatchedFiles.Step.makeFolder, 0), (.synchronize, 0), (.synchronize, 1), (.write, 0),
    (.synchronize, 2), (.move, 0), (.synchronize, 3),
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

  // MARK: Replacing

  private static let newPhoto = Data(repeating: 2, count: SQLiteStore.Limits.externalDataBytes)

  /// Creates a store with one album, and another with which it is replaced.
  private func makeStores(in folder: URL) throws {
    for (name, photo) in [("Albums", Self.photo), ("New", Self.newPhoto)] {
      let file = folder.appendingPathComponent("\(name).sqlite")
      let context = try Office(model: Self.model(), at: file).context
      makeAlbum(context).setValue(photo, forKey: "photo")
      try context.save()
    }
  }

  private func replace(
    in folder: URL, before: @escaping @Sendable (WatchedFiles.Step) throws -> Void = { _ in }
  ) throws {
    var dependencies = StackDependencies.current
    dependencies.files = WatchedFiles(before: { step, _ in try before(step) })
    let coordinator = StackDependencies.$current.withValue(dependencies) {
      NSPersistentStoreCoordinator(managedObjectModel: Self.model())
    }
    try coordinator.replacePersistentStore(
      at: folder.appendingPathComponent("Albums.sqlite"),
      withPersistentStoreFrom: folder.appendingPathComponent("New.sqlite"), type: .sqlite)
  }

  private func photos(in folder: URL) throws -> [Data?] {
    try albums(office(in: folder).context).map { try $0.binaryData(forKey: "photo") }
  }

  private func countOfFiles(in folder: URL) throws -> Int {
    let values = folder.appendingPathComponent(".Albums_SUPPORT/_EXTERNAL_DATA").path
    return try FileManager.default.contentsOfDirectory(atPath: values).count
  }

  @Test(arguments: [
    (WatchedFiles.Step.copy, 0), (.synchronize, 0), (.move, 0), (.synchronize, 1),
  ])
  func `A replacement whose files cannot be written leaves the former store`(
    step: WatchedFiles.Step, successes: Int
  ) throws {
    try withTemporaryDirectory { folder in
      try makeStores(in: folder)
      let disk = FullDisk(at: step, after: successes)
      #expect(throws: CocoaError.self) { try replace(in: folder) { try disk.take($0) } }
      #expect(try photos(in: folder) == [Self.photo])
      #expect(try countOfFiles(in: folder) == 1)
      disk.makeRoom()
      try replace(in: folder) { try disk.take($0) }
      #expect(try photos(in: folder) == [Self.newPhoto])
      #expect(try countOfFiles(in: folder) == 1)
    }
  }

  @Test func `A replacement that stops at any file operation leaves the old or the new store`()
    throws
  {
    let count = Mutex(0)
    try withTemporaryDirectory { folder in
      try makeStores(in: folder)
      try replace(in: folder) { _ in count.withLock { $0 += 1 } }
    }
    for last in 0..<count.withLock({ $0 }) {
      try withTemporaryDirectory { folder in
        try makeStores(in: folder)
        let taken = Mutex(0)
        // No later operation takes place either, as after the end of a process.
        try? replace(in: folder) { _ in
          try taken.withLock { taken in
            guard taken < last else { throw CocoaError(.fileWriteUnknown) }
            taken += 1
          }
        }
        let found = try photos(in: folder)
        #expect(
          found == [Self.photo] || found == [Self.newPhoto], "after \(last) operations")
      }
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
