import Foundation
package import ManagedObjectModel
package import ObjectRows
import PropertyLists
package import SQLiteDriver

extension StoreMetadata {
  /// Reads the table `Z_METADATA`.
  package init(_ connection: Connection, at location: StoreLocation) throws(StoreError) {
    let rows = try location.sqlite { () throws(SQLiteError) in
      try connection.rows("SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
    }
    guard let row = rows.first else {
      throw StoreError(
        .notAStore, "The store \(location.path) has no row in Z_METADATA.",
        context: ["file": location.path, "table": "Z_METADATA"])
    }
    guard case .text(let uuid) = row[0] else {
      throw StoreError(
        .notAStore,
        "The store \(location.path) has no UUID: Z_UUID in Z_METADATA is \(row[0] == .null ? "NULL" : "no text").",
        context: ["file": location.path, "table": "Z_METADATA"])
    }
    guard case .blob(let bytes) = row[1] else {
      self.init(uuid: uuid, entries: [:])
      return
    }
    do {
      self.init(uuid: uuid, entries: try PropertyList(bytes).dictionary ?? [:])
    } catch {
      throw StoreError(
        .notAStore, "The metadata of the store \(location.path) cannot be read: \(error)",
        context: ["file": location.path, "table": "Z_METADATA"], underlying: error)
    }
  }

  /// Writes the table's row.
  package func write(to connection: Connection, at location: StoreLocation) throws(StoreError) {
    let bytes: [UInt8]
    do {
      bytes = try BinaryPropertyList.write(.dictionary(entries))
    } catch {
      throw StoreError(
        .incompatibleSchema, "The metadata cannot be written: \(error)",
        context: ["file": location.path],
        underlying: error)
    }
    try location.sqlite { () throws(SQLiteError) in
      try connection.run(
        "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)",
        [.text(uuid), .blob(bytes)])
    }
  }
}

/// The result of reading the model that a store contains.
package enum StoredModel {
  /// The store contains no model: there is no table, no row, or a NULL.
  case absent
  /// The stored bytes are not a model, with the reason.
  case unreadable(String)
  case model(NSManagedObjectModel)

  /// Reads the table `Z_MODELCACHE`.
  package init(_ connection: Connection, at location: StoreLocation) throws(StoreError) {
    let value = try location.sqlite { () throws(SQLiteError) -> Value? in
      let column = "SELECT 1 FROM pragma_table_info('Z_MODELCACHE') WHERE name = 'Z_CONTENT'"
      guard try connection.value(column) != nil else { return nil }
      return try connection.value("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
    }
    switch value {
    case nil, .null: self = .absent
    case .blob(let bytes):
      do {
        self = .model(try ModelCache.decode(Data(bytes)))
      } catch {
        self = .unreadable("\(error)")
      }
    case .integer, .real, .text: self = .unreadable("It is not binary data.")
    }
  }

  /// The model, or nil if there is none or it cannot be read.
  ///
  /// Core Data treats it as a cache, and so does opening.
  package static func read(_ connection: Connection, at location: StoreLocation) throws(StoreError)
    -> NSManagedObjectModel?
  {
    try StoredModel(connection, at: location).model
  }

  /// The model, if the store contains a readable one.
  package var model: NSManagedObjectModel? {
    if case .model(let model) = self { model } else { nil }
  }

  /// Replaces the model.
  package static func write(
    _ model: NSManagedObjectModel, to connection: Connection, at location: StoreLocation
  ) throws(StoreError) {
    // A model that cannot be archived is not cached; the store works without it.
    let value = (try? ModelCache.encode(model)).map { Value.blob([UInt8]($0)) } ?? .null
    try location.sqlite { () throws(SQLiteError) in
      try connection.run("DELETE FROM Z_MODELCACHE")
      try connection.run("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", [value])
    }
  }
}

extension StoreLocation {
  /// Runs SQL, and turns failures into the store's errors.
  package func sqlite<Result>(_ body: () throws(SQLiteError) -> Result) throws(StoreError) -> Result
  {
    do {
      return try body()
    } catch {
      throw StoreError(error, at: self)
    }
  }
}
