import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite(.requiresFixtures) struct `Migrating Apple's stores` {
  @Test(arguments: [
    (
      "BrowserServicesKit__Bookmarks_V1.sqlite", "BrowserServicesKit__BookmarksModel",
      "BookmarksModel 5"
    ),
    (
      "BrowserServicesKit__Bookmarks_V5.sqlite", "BrowserServicesKit__BookmarksModel",
      "BookmarksModel 6"
    ),
    ("CoreDataPlus__SampleModel_V1.sqlite", "CoreDataPlus__SampleModel", "SampleModel2"),
    ("CareKit__SampleStore2.0.sqlite", "CareKit__CareKitStore", "CareKitStore2.1"),
    (
      "XCServerCoreData__XCServerCoreData_1.2.0.sqlite", "XCServerCoreData__XCServerCoreData",
      "XCServerCoreData2.0.2"
    ),
    ("objcio-core-data__Moody.moody", "objcio-core-data__Moody", "Moody 2"),
  ])
  func `A migration keeps the rows, or it cannot be inferred`(
    name: String, bundle: String, version: String
  ) throws {
    let store = try FixtureStore.named(name)
    let destination = try FixtureStore.model(bundle, version)
    let source = try store.model()
    let nonLightweightChanges = ModelDifference(from: source, to: destination).nonLightweightChanges
    try withTemporaryDirectory { folder in
      var options = StoreOptions()
      options.migratesAutomatically = true
      options.infersMapping = true
      var opening = StoreOpening(
        url: try store.copy(to: folder), layouts: .of(destination), options: options)
      opening.findModel = { _ in source }
      guard nonLightweightChanges.isEmpty else {
        let error = try #require(throws: StoreError.self) { _ = try opening.run() }
        #expect(error.code == .inferredMappingModel)
        return
      }
      let opened = try opening.run()
      #expect(opened.metadata.versionHashes == destination.entityVersionHashesByName)
      #expect(try opened.connection.issues(.full) == [])
      try expectSameCounts(store, source, opened)
    }
  }

  private func expectSameCounts(
    _ store: FixtureStore, _ source: NSManagedObjectModel, _ opened: OpenedStore
  ) throws {
    try store.withConnection { old in
      let former = try StoreSchema(layouts: .of(source), configuration: nil).matched(
        to: old, at: opened.location)
      let tables = former.tables.filter { table in
        opened.schema.tables.contains { $0.name == table.name }
      }
      #expect(!tables.isEmpty)
      for table in tables {
        let count = "SELECT count(*) FROM \(table.name)"
        #expect(try opened.connection.value(count) == old.value(count), "\(table.name)")
      }
    }
  }
}
