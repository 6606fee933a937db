import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// The folders of external values.
@Suite struct ValueFolderTests {
  private static func model() -> NSManagedObjectModel {
    let photo = NSAttributeDescription()
    photo.name = "photo"
    photo.attributeType = .binaryDataAttributeType
    photo.isOptional = true
    photo.allowsExternalBinaryDataStorage = true
    let album = NSEntityDescription()
    album.name = "Album"
    album.properties = [photo]
    let model = NSManagedObjectModel()
    model.entities = [album]
    return model
  }

  private func saveAlbum(_ context: NSManagedObjectContext) throws {
    context.insert("Album").setValue(
      Data(repeating: 1, count: SQLiteStore.Limits.externalDataBytes), forKey: "photo")
    try context.save()
  }

  @Test func `The names of new folders are synced once`() throws {
    try withTemporaryDirectory { folder in
      let synced = Mutex<[String]>([])
      var dependencies = StackDependencies.current
      dependencies.files = WatchedFiles(before: { step, url in
        guard step == .synchronize else { return }
        synced.withLock { $0.append(url.lastPathComponent) }
      })
      let context = try StackDependencies.$current.withValue(dependencies) {
        try Office(model: Self.model(), at: folder.appendingPathComponent("Albums.sqlite")).context
      }
      let parents = [folder.lastPathComponent, ".Albums_SUPPORT"]
      for _ in 0..<2 {
        try saveAlbum(context)
        let names = synced.withLock { $0 }
        #expect(names.filter(parents.contains) == parents, "\(names)")
      }
    }
  }
}
