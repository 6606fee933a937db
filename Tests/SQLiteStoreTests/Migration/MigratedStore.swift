import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import Testing

/// A store of a model given as text, filled by SQL and then opened with another model.
struct MigratedStore: ~Copyable {
  let folder: URL
  var url: URL { folder.appendingPathComponent("a.sqlite") }

  init(_ text: String, tracksHistory: Bool = false, filledBy sql: String) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "parhelion-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var options = StoreOptions()
    options.tracksHistory = tracksHistory
    let model = try model(text)
    let made = try StoreOpening(url: url, layouts: .of(model), options: options).run()
    try made.prepareForWriting()
    try made.connection.execute(sql)
    try made.connection.close()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Opens the store with another model.
  func open(_ text: String, tracksHistory: Bool = false) throws -> OpenedStore {
    let model = try model(text)
    return try withExtendedLifetime(model) {
      var options = StoreOptions()
      options.migratesAutomatically = true
      options.infersMapping = true
      options.tracksHistory = tracksHistory
      let opened = try StoreOpening(url: url, layouts: .of(model), options: options).run()
      try expectNewSchema(opened, model)
      return opened
    }
  }

  /// Expects the tables, indexes and triggers of a new store, and a valid file.
  private func expectNewSchema(_ opened: OpenedStore, _ model: NSManagedObjectModel) throws {
    let new = try Connection(.memory)
    for statement in try StoreSchema(layouts: .of(model), configuration: nil).creationStatements() {
      try new.execute(statement)
    }
    #expect(try Self.names(opened.connection) == Self.names(new))
    #expect(try Self.columns(opened.connection) == Self.columns(new))
    #expect(try opened.connection.issues(.full) == [])
    #expect(opened.metadata.versionHashes == model.entityVersionHashesByName)
    #expect(opened.schema.entities.map(\.number) == Array(1...opened.schema.entities.count))
    #expect(
      try StoredModel.read(opened.connection, at: opened.location)?.entityVersionHashesByName
        == model.entityVersionHashesByName)
  }

  private static func names(_ connection: Connection) throws -> [[Value]] {
    try connection.rows(
      """
      SELECT type, name, tbl_name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE 'A%'
      AND name NOT LIKE 'Z_TRANSACTION%' ORDER BY 1, 2
      """)
  }

  private static func columns(_ connection: Connection) throws -> [[Value]] {
    try connection.rows(
      """
      SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND t.name LIKE 'Z%' ORDER BY 1, 2
      """)
  }
}
