import Foundation
import ManagedObjectModel
import ManagedObjects
import TestSupport
import Testing

/// Albums with stamps, in a relationship without an inverse.
@Suite struct `Members with several owners` {
  private static func model(_ attributes: [String] = ["name"], ordered: Bool = false)
    -> NSManagedObjectModel
  {
    let stamp = MigrationModels.entity("Stamp", [MigrationModels.attribute("name")])
    let stamps = NSRelationshipDescription()
    (stamps.name, stamps.destinationEntity) = ("stamps", stamp)
    (stamps.maxCount, stamps.isOptional, stamps.isOrdered) = (0, true, ordered)
    let album = MigrationModels.entity("Album", attributes.map { MigrationModels.attribute($0) })
    album.properties.append(stamps)
    return MigrationModels.model([album, stamp])
  }

  /// Two albums with a common stamp, and one stamp more in the second.
  private func fill(_ context: NSManagedObjectContext, ordered: Bool = false) throws {
    let stamps = ["a", "b"].map { context.add("Stamp", ["name": $0]) }
    for (name, own) in [("first", [stamps[1]]), ("second", [stamps[1], stamps[0]])] {
      let members: Any = ordered ? NSOrderedSet(array: own) : NSSet(array: own)
      context.add("Album", ["name": name, "stamps": members])
    }
    try context.save()
  }

  private func albums(_ context: NSManagedObjectContext, ordered: Bool = false) throws
    -> [String: [String]]
  {
    Dictionary(
      try context.all("Album").map { album in
        let names = album.related("stamps").compactMap { $0.text("name") }
        return (album.text("name") ?? "", ordered ? names : names.sorted())
      }, uniquingKeysWith: { first, _ in first })
  }

  @Test(arguments: [NSInMemoryStoreType, NSXMLStoreType], [false, true])
  func `Members keep all owners in a copy to a SQLite store`(_ type: String, _ ordered: Bool)
    throws
  {
    try withTemporaryDirectory { folder in
      let model = Self.model(ordered: ordered)
      let stack = try ShelfStack(
        type, at: folder.appendingPathComponent("albums.xml"), model: model)
      try fill(stack.context, ordered: ordered)
      let url = folder.appendingPathComponent("albums.sqlite")
      try stack.coordinator.migratePersistentStore(
        stack.store, to: url, options: nil, withType: NSSQLiteStoreType)
      let expected = ["first": ["b"], "second": ordered ? ["b", "a"] : ["a", "b"]]
      let copy = try ShelfStack(NSSQLiteStoreType, at: url, model: Self.model(ordered: ordered))
      #expect(try albums(copy.context, ordered: ordered) == expected)
      // A copy of the copy has them, too.
      let next = folder.appendingPathComponent("next.sqlite")
      try copy.coordinator.migratePersistentStore(
        copy.store, to: next, options: nil, withType: NSSQLiteStoreType)
      let last = try ShelfStack(NSSQLiteStoreType, at: next, model: Self.model(ordered: ordered))
      #expect(try albums(last.context, ordered: ordered) == expected)
    }
  }

  @Test
  func `A manager's migration keeps all owners in a new store, and fails into an existing one`()
    throws
  {
    try withTemporaryDirectory { folder in
      let (first, second) = (Self.model(), Self.model(["name", "colour"]))
      let old = folder.appendingPathComponent("albums.xml")
      try fill(try ShelfStack(NSXMLStoreType, at: old, model: first).context)
      let mapping = try NSMappingModel.inferredMappingModel(
        forSourceModel: first, destinationModel: second)
      func migrate(to name: String) throws -> URL {
        let url = folder.appendingPathComponent(name)
        try NSMigrationManager(sourceModel: first, destinationModel: second).migrateStore(
          from: old, type: .init(rawValue: NSXMLStoreType), mapping: mapping, to: url,
          type: .sqlite)
        return url
      }
      let new = try ShelfStack(NSSQLiteStoreType, at: migrate(to: "new.sqlite"), model: second)
      #expect(try albums(new.context) == ["first": ["b"], "second": ["a", "b"]])
      let other = folder.appendingPathComponent("other.sqlite")
      let existing = try ShelfStack(NSSQLiteStoreType, at: other, model: second)
      let error = #expect(throws: CocoaError.self) { try migrate(to: "other.sqlite") }
      #expect((error as NSError?)?.code == NSMigrationError)
      #expect(try existing.newContext().all("Album").isEmpty)
    }
  }
}
