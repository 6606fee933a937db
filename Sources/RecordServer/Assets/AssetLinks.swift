import CloudRecords
import RecordStorage

/// Keeps account of which records hold which files, in the transaction that changes the records.
struct AssetLinks {
  let keys: ZoneKeys

  private struct Link: Hashable {
    var checksum: String
    var field: String
  }

  func store(
    from old: StoredRecord?, to new: StoredRecord?, named name: String, in transaction: any StorageWriting
  ) throws {
    let (before, after) = (links(of: old), links(of: new))
    guard before != after else { return }
    for link in before where !after.contains(link) {
      try transaction.remove(keys.asset(link.checksum, in: name, field: link.field))
      try transaction.remove(holder(link.checksum, record: name, field: link.field))
    }
    for link in after where !before.contains(link) {
      try transaction.set([], for: keys.asset(link.checksum, in: name, field: link.field))
      try transaction.set([], for: holder(link.checksum, record: name, field: link.field))
    }
  }

  /// Forgets everything that the zone holds, before the zone goes.
  func removeAll(in transaction: any StorageWriting) throws {
    var held: [[String]] = []
    let range = keys.assets
    try transaction.visitEntries(in: range) { key, _ in
      held.append(try ZoneKeys.texts(3, of: key, after: range))
      return .goOn
    }
    for texts in held { try transaction.remove(holder(texts[0], record: texts[1], field: texts[2])) }
  }

  private func links(of record: StoredRecord?) -> [Link] {
    guard let record else { return [] }
    var found: [Link] = []
    for entry in record.fields {
      for asset in entry.field.value.assets {
        let link = Link(checksum: asset.fileChecksum, field: entry.name)
        if !found.contains(link) { found.append(link) }
      }
    }
    return found
  }

  private func holder(_ checksum: String, record: String, field: String) -> StorageKey {
    var key = AssetHolders.prefix(of: checksum)
    key.append(text: keys.database.owner)
    key.append(unsigned: keys.database.realm.number)
    key.append(unsigned: keys.number)
    key.append(text: record)
    key.append(text: field)
    return key
  }
}

/// Who holds a file.
enum AssetHolders {
  static func prefix(of checksum: String) -> StorageKey {
    // A partition for each file spreads them evenly over a distributed engine.
    StorageKey(partition: "_asset:\(checksum)", keyspace: Keyspace.assetHolder.rawValue)
  }

  /// Whether a record holds the file.
  static func exist(for checksum: String, in transaction: any StorageReading) throws -> Bool {
    try !transaction.entries(in: StorageRange(prefix: prefix(of: checksum)), limit: 1).isEmpty
  }
}
