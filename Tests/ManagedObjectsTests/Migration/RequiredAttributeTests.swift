import Foundation
import ManagedObjectModel
import ManagedObjects
import TestSupport
import Testing

/// A way in which a store gets a newer version of its model.
enum MigrationRoute: CaseIterable {
  case inPlace, byManager, byStore, xml, binary

  var storeType: String {
    switch self {
    case .xml: NSXMLStoreType
    case .binary: NSBinaryStoreType
    default: NSSQLiteStoreType
    }
  }

  /// Migrates a store, and opens the migrated one.
  func migrate(_ url: URL, from source: NotesModel, to destination: NotesModel) throws -> ShelfStack
  {
    switch self {
    case .inPlace, .xml, .binary:
      let options = [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
      ]
      return try ShelfStack(storeType, at: url, model: destination.model, options: options) {
        let former = FormerVersion(model: source.model)
        $0.modelVersions = { [former.model] }
      }
    case .byManager, .byStore:
      let (first, second) = (source.model, destination.model)
      let manager = NSMigrationManager(sourceModel: first, destinationModel: second)
      manager.usesStoreSpecificMigrationManager = self == .byStore
      let new = url.appendingPathExtension("new")
      try manager.migrateStore(
        from: url, type: .sqlite,
        mapping: try NSMappingModel.inferredMappingModel(
          forSourceModel: first, destinationModel: second), to: new, type: .sqlite)
      return try ShelfStack(storeType, at: new, model: second)
    }
  }
}

/// A version of a model that one thread uses.
private struct FormerVersion: @unchecked Sendable {
  let model: NSManagedObjectModel
}

/// Attributes that become required without a default: the objects decide, by every route.
@Suite struct `An attribute that becomes required` {
  private static var added: NotesModel {
    NotesModel(attributes: [.init(name: "title"), .init(name: "body", isOptional: false)])
  }

  private func fill(_ url: URL, _ route: MigrationRoute, _ notes: [[String: Any]]) throws {
    let stack = try ShelfStack(route.storeType, at: url, model: NotesModel.first.model)
    for values in notes { stack.context.add("Note", values) }
    try stack.context.save()
    try stack.coordinator.remove(stack.store)
  }

  @Test(arguments: MigrationRoute.allCases)
  func `An attribute becomes required if every object has a value`(_ route: MigrationRoute) throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("notes")
      try fill(url, route, [["title": "a"], ["title": "b"]])
      let stack = try route.migrate(url, from: .first, to: .third)
      #expect(Set(try stack.context.all("Note").map { $0.text("title") }) == ["a", "b"])
    }
  }

  @Test(arguments: MigrationRoute.allCases)
  func `If objects lack a required value, the migration fails with one error and leaves the store`(
    _ route: MigrationRoute
  ) throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("notes")
      try fill(url, route, [["title": "a"], [:]])
      for (version, words) in [
        (NotesModel.third, "Note.title is required and has no default, and 1 objects have"),
        (Self.added, "Note.body is required and has no default, and 2 objects have"),
      ] {
        let error = try #require(throws: CocoaError.self) {
          try route.migrate(url, from: .first, to: version)
        }
        #expect((error as NSError).code == NSMigrationError)
        #expect(error.localizedDescription.contains(words), "\(error.localizedDescription)")
        #expect(error.userInfo["entity"] as? String == "Note")
      }
      let stack = try ShelfStack(route.storeType, at: url, model: NotesModel.first.model)
      #expect(try stack.context.all("Note").count == 2)
    }
  }

  @Test(arguments: MigrationRoute.allCases)
  func `A required attribute can be new if the store has no objects`(_ route: MigrationRoute)
    throws
  {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("notes")
      try fill(url, route, [["title": "a"]])
      let stack = try ShelfStack(route.storeType, at: url, model: NotesModel.first.model)
      try stack.context.all("Note").forEach(stack.context.delete)
      try stack.context.save()
      try stack.coordinator.remove(stack.store)
      #expect(try route.migrate(url, from: .first, to: Self.added).context.all("Note").isEmpty)
    }
  }
}
