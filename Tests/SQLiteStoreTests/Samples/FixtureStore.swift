import Foundation
import ManagedObjectModel
import ModelSource
import ObjectRows
import SQLiteDriver
import TestSupport
import Testing

/// A fixture store that Apple's framework wrote.
struct FixtureStore: CustomTestStringConvertible, Sendable {
  let name: String
  /// The bundle and version of the model that wrote the store, if the fixtures have it.
  var source: (bundle: String, version: String)?
  /// Whether the file contains the model that wrote it.
  var hasModelCache = true

  var testDescription: String { name }

  /// All stores of the fixtures.
  static let all: [FixtureStore] = [
    Self(
      name: "BookMigration__Model1.sqlite", source: ("BookMigration__Model", "Model1"),
      hasModelCache: false),
    Self(
      name: "BrowserServicesKit__Bookmarks_V1.sqlite",
      source: ("BrowserServicesKit__BookmarksModel", "BookmarksModel")),
    Self(
      name: "BrowserServicesKit__Bookmarks_V5.sqlite",
      source: ("BrowserServicesKit__BookmarksModel", "BookmarksModel 5")),
    Self(
      name: "CareKit__SampleStore2.0.sqlite", source: ("CareKit__CareKitStore", "CareKitStore2.0")),
    Self(name: "CoreDataPlus__SampleModel2_V2.sqlite"),
    Self(
      name: "CoreDataPlus__SampleModel_V1.sqlite",
      source: ("CoreDataPlus__SampleModel", "SampleModel")),
    Self(name: "CypherPoet-CoreDataKit__CoreDataKitTests_1.sqlite"),
    Self(name: "CypherPoet-CoreDataKit__CoreDataKitTests_3.sqlite"),
    Self(name: "RestKit__RKSeedDatabase.sqlite", hasModelCache: false),
    Self(
      name: "XCServerCoreData__XCServerCoreData_1.2.0.sqlite",
      source: ("XCServerCoreData__XCServerCoreData", "XCServerCoreData1.2.0")),
    Self(
      name: "cdt-materials__SurfJournalModel.sqlite",
      source: ("cdt-materials__SurfJournalModel", "SurfJournalModel"),
      hasModelCache: false),
    Self(name: "objcio-core-data__Moody.moody", source: ("objcio-core-data__Moody", "Moody")),
    Self(name: "objcio-core-data__Moody_4.moody", source: ("objcio-core-data__Moody", "Moody 4")),
    Self(name: "plaso__Accounts3.sqlite"),
    Self(name: "plaso__NoteStore.sqlite"),
    Self(name: "plaso__kik.sqlite", hasModelCache: false),
    Self(name: "readstor__BKLibrary-1-091020131601.sqlite"),
    Self(name: "scout__Scout-v1.sqlite"),
  ]

  /// Whether the file has a history.
  var hasHistory: Bool { ["NoteStore", "SampleModel2"].contains { name.contains($0) } }

  /// The stores with a known model.
  static let withModel = all.filter { $0.source != nil || $0.hasModelCache }

  static func named(_ name: String) throws -> FixtureStore {
    try #require(all.first { $0.name == name }, "no fixture store \(name)")
  }

  /// The store's files, copied to a folder.
  func copy(to folder: URL) throws -> URL {
    let destination = folder.appendingPathComponent(name)
    let source = try Fixtures.url("stores/\(name)")
    for suffix in ["", "-wal", "-shm"] {
      let source = URL(fileURLWithPath: source.path + suffix)
      guard FileManager.default.fileExists(atPath: source.path) else { continue }
      let url = URL(fileURLWithPath: destination.path + suffix)
      try Data(contentsOf: source).write(to: url)
    }
    return destination
  }

  /// Runs a closure with a connection to a copy of the store.
  func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try withTemporaryDirectory { folder in
      let connection = try Connection(
        .file(copy(to: folder).path), options: .init(mode: .readWrite))
      return try body(connection)
    }
  }

  /// The model that wrote the store, from its source in the fixtures or else from the store.
  func model() throws -> NSManagedObjectModel {
    if let source { return try Self.model(source.bundle, source.version) }
    return try cachedModel()
  }

  /// The model in the file.
  func cachedModel() throws -> NSManagedObjectModel {
    try withConnection { connection in
      guard case .blob(let bytes)? = try connection.value("SELECT Z_CONTENT FROM Z_MODELCACHE")
      else {
        throw StoreError(.notAStore, "\(name) has no model cache")
      }
      return try ModelCache.decode(Data(bytes))
    }
  }

  /// A version of a model of the fixtures.
  static func model(_ bundle: String, _ version: String) throws -> NSManagedObjectModel {
    let read = try ModelBundle(contentsOf: Fixtures.url("models/\(bundle).xcdatamodeld"))
    return try #require(
      read.versions.first { $0.name == version }?.model, "no version \(version) in \(bundle)")
  }

  /// The definitions in the file's schema, by name.
  func definitions(_ type: String) throws -> [String: String] {
    try withConnection { connection in
      let rows = try connection.rows(
        "SELECT name, sql FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL", [.text(type)])
      return Dictionary(
        rows.compactMap { row in
          if case .text(let name) = row[0], case .text(let sql) = row[1] {
            (name, sql)
          } else {
            nil
          }
        }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// The statements in the file's schema, in its order.
  func statements() throws -> [String] {
    try withConnection { connection in
      try connection.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        .compactMap { if case .text(let sql) = $0[0] { sql } else { nil } }
    }
  }
}
