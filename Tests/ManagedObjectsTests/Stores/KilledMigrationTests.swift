import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// Migrations that move values out of files, in a process that is killed at any file operation.
@Suite struct `A migration of values in files` {
  private static let photos = 3

  /// Albums whose photos, or in the other version whose covers, may be external.
  private static func model(photosInFiles: Bool) -> NSManagedObjectModel {
    let album = NSEntityDescription()
    album.name = "Album"
    album.properties = [("photo", photosInFiles), ("cover", !photosInFiles)].map {
      name, isExternal in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .binaryDataAttributeType
      attribute.isOptional = true
      attribute.allowsExternalBinaryDataStorage = isExternal
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [album]
    return model
  }

  private static func photo(_ number: Int) -> Data {
    Data(repeating: UInt8(number + 1), count: SQLiteStore.Limits.externalDataBytes)
  }

  private static func file(in folder: URL) -> URL { folder.appendingPathComponent("Albums.sqlite") }

  /// A store of the first version with external photos.
  private static func make(in folder: URL) throws {
    let office = try Office(model: model(photosInFiles: true), at: file(in: folder))
    for number in 0..<photos {
      let album = office.context.insert("Album")
      album.setValue(photo(number), forKey: "photo")
      album.setValue(Data([UInt8(number)]), forKey: "cover")
    }
    try office.context.save()
  }

  /// Opens the store with the second version.
  private static func migrate(
    in folder: URL, before: @escaping @Sendable (WatchedFiles.Step) -> Void
  ) throws -> Office {
    var dependencies = StackDependencies.current
    dependencies.files = WatchedFiles { step, _ in before(step) }
    return try StackDependencies.$current.withValue(dependencies) {
      try Office(
        model: model(photosInFiles: false), at: file(in: folder),
        options: [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true,
        ])
    }
  }

  private static func expectAll(_ office: Office) throws {
    let albums = try office.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Album"))
    let photos = try albums.map { try $0.binaryData(forKey: "photo") }
    #expect(Set(photos) == Set((0..<Self.photos).map { photo($0) }))
    #expect(
      Set(albums.map { $0.value(forKey: "cover") as? Data })
        == Set((0..<Self.photos).map { Data([UInt8($0)]) }))
  }

  @Test func `A killed migration leaves the old or the new store with every value`() async throws {
    let steps = Mutex(0)
    let committed = Mutex(0)
    try withTemporaryDirectory { folder in
      try Self.make(in: folder)
      let office = try Self.migrate(in: folder) { step in
        steps.withLock { $0 += 1 }
        if step == .remove { committed.withLock { $0 += 1 } }
      }
      try Self.expectAll(office)
    }
    let count = steps.withLock { $0 }
    // The header is read, then each photo. Each file is removed after the commit.
    #expect(count == 1 + 2 * Self.photos && committed.withLock { $0 } == Self.photos)
    for step in 1...count {
      try await withTemporaryDirectory { folder in
        try Self.make(in: folder)
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [path = folder.path as String, step = step as Int] in
          let taken = Mutex(0)
          _ = try Self.migrate(in: URL(fileURLWithPath: path)) { _ in
            let number = taken.withLock { taken in
              taken += 1
              return taken
            }
            if number == step { kill(getpid(), SIGKILL) }
          }
        }
        if step <= 1 + Self.photos {
          try Self.expectAll(
            Office(model: Self.model(photosInFiles: true), at: Self.file(in: folder)))
        }
        try Self.expectAll(Self.migrate(in: folder) { _ in })
      }
    }
  }
}
