import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PropertyLists
import SQLiteDriver
import SQLiteStore

/// The store's description of itself: its metadata, its copy of the model, its entities.
extension FileCheck {
  mutating func checkMetadata() throws(SQLiteError) {
    let metadata = snapshot.metadata
    if UUID(uuidString: metadata.uuid) == nil {
      note("metadata", table: "Z_METADATA", "“\(metadata.uuid)” is not a UUID.")
    }
    let version = try connection.value(
      "SELECT Z_VERSION FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
    if version != .integer(1) {
      note(
        "metadata", table: "Z_METADATA", row: version?.wholeNumber,
        "Z_VERSION is not 1, by which the row is found.")
    }
    try noteRows(
      "metadata", of: "Z_METADATA",
      "SELECT Z_VERSION FROM Z_METADATA WHERE Z_VERSION IS NOT (SELECT min(Z_VERSION) FROM Z_METADATA) ORDER BY Z_VERSION"
    ) { _ in
      "This row exists besides the one with the store's metadata: a program that reads it misidentifies the store."
    }
    let list = try connection.rows(
      "SELECT \(ShownValue.columns("Z_PLIST")) FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
    guard list.first?.first == .text("blob") else {
      let value = list.first.map { ShownValue.text($0, at: 0) } ?? "NULL"
      return note(
        "metadata", table: "Z_METADATA", "Z_PLIST is \(value), where the metadata should be.")
    }
    let type = metadata.entries[StoreMetadata.Key.storeType]
    if type != nil, type != .string(NSSQLiteStoreType) {
      note(
        "metadata", table: "Z_METADATA",
        "\(StoreMetadata.Key.storeType) is not \(NSSQLiteStoreType).")
    }
    checkVersionHashes(of: metadata)
  }

  private mutating func checkVersionHashes(of metadata: StoreMetadata) {
    guard let named = metadata.entries[StoreMetadata.Key.hashes]?.dictionary,
      let hashes = metadata.versionHashes
    else {
      return note(
        "metadata", table: "Z_METADATA",
        "\(StoreMetadata.Key.hashes) is missing: no model can be matched with the store.")
    }
    for name in named.keys.sorted() where hashes[name]?.count != StoreMetadata.versionHashBytes {
      note(
        "metadata", table: "Z_METADATA",
        "The version hash of \(name) does not have \(StoreMetadata.versionHashBytes) bytes: no model fits it."
      )
    }
    let digests = [
      (StoreMetadata.Key.digest, NSManagedObjectModel.versionHashesDigest(of: hashes)),
      (StoreMetadata.Key.checksum, NSManagedObjectModel.versionChecksum(of: hashes)),
    ]
    for (key, digest) in digests {
      if let stored = metadata.entries[key], stored != .string(digest) {
        note(
          "metadata", table: "Z_METADATA",
          "\(key) is not the digest of the version hashes beside it.")
      }
    }
  }

  /// Checks the copy of the model, which later versions of an application need for migration.
  mutating func checkModelCopy() throws {
    switch try snapshot.storedModel() {
    case .absent: return
    case .unreadable(let reason):
      note(
        "model", table: "Z_MODELCACHE",
        "The store's copy of its model cannot be read: \(reason) A program without that model cannot migrate the store."
      )
    case .model(let model):
      for difference in snapshot.differences(from: model) {
        note(
          "model", table: "Z_MODELCACHE",
          "The store's copy of its model differs: \(difference).")
      }
    }
  }

  // MARK: Z_PRIMARYKEY

  mutating func checkPrimaryKeys() throws(SQLiteError) {
    let conditions: [(column: String, isSound: String, meaning: String)] = [
      ("Z_NAME", "typeof(Z_NAME) = 'text' AND Z_NAME <> ''", "which names no entity"),
      (
        "Z_SUPER",
        "typeof(Z_SUPER) = 'integer' AND Z_SUPER <> Z_ENT AND (Z_SUPER = 0 OR Z_SUPER IN (SELECT Z_ENT FROM Z_PRIMARYKEY))",
        "which is not an entity above this one"
      ),
      (
        "Z_MAX", "typeof(Z_MAX) = 'integer' AND Z_MAX >= 0",
        "which counts no keys: no objects can be added"
      ),
    ]
    for (column, isSound, meaning) in conditions {
      try noteRows(
        "primaryKey", of: "Z_PRIMARYKEY",
        "SELECT Z_ENT, \(ShownValue.columns(column)) FROM Z_PRIMARYKEY WHERE NOT (\(isSound)) ORDER BY Z_ENT"
      ) { row in "\(column) is \(ShownValue.text(row, at: 1)), \(meaning)." }
    }
    try noteRows(
      "primaryKey", of: "Z_PRIMARYKEY",
      "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_NAME IN (SELECT Z_NAME FROM Z_PRIMARYKEY GROUP BY Z_NAME HAVING count(*) > 1) ORDER BY Z_ENT"
    ) { row in "Another row has the name of this entity too." }
    checkCircles()
    checkEntities()
  }

  private mutating func checkCircles() {
    let above = Dictionary(
      file.primaryKeys.map { ($0.number, $0.superNumber) }, uniquingKeysWith: { first, _ in first })
    for row in file.primaryKeys where row.superNumber != row.number {
      var seen: Set<Int> = [row.number]
      var next = row.superNumber
      while next != 0, seen.insert(next).inserted { next = above[next] ?? 0 }
      if next == row.number {
        note(
          "primaryKey", table: "Z_PRIMARYKEY", row: Int64(row.number),
          "\(row.name) is its own ancestor.")
      }
    }
  }

  /// Checks that every entity has a row; after a migration that renamed an entity, the row may have
  /// the former name.
  private mutating func checkEntities() {
    let rows = file.primaryKeys.filter { !$0.isFrameworks }
    let hashes = snapshot.metadata.versionHashes ?? [:]
    for row in rows where hashes[row.name] == nil {
      warn(
        "primaryKey", table: "Z_PRIMARYKEY",
        "“\(row.name)”, the name of row \(row.number), is not an entity of the metadata: it may be the former name of one."
      )
    }
    guard rows.count < hashes.count else { return }
    let names = Set(rows.map(\.name))
    let missing = hashes.keys.filter { !names.contains($0) }.sorted().joined(separator: ", ")
    note(
      "primaryKey", table: "Z_PRIMARYKEY",
      "Some entities of the store have no row: \(missing).")
  }
}
