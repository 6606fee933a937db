import BinaryCoding
import CloudRecords
import RecordStorage

/// Stores which records hold which files, in the transaction that changes the records.
struct AssetLinks {
  let keys: ZoneKeys

  private struct Link: Hashable {
    var checksum: AssetChecksum
    var field: String
  }

  func store(
    from old: StoredRecord?, to new: StoredRecord?, named name: String, at time: Timestamp,
    in transaction: any StorageWriting
  ) throws {
    let (before, after) = (links(of: old), links(of: new))
    guard before != after else { return }
    let (former, current) = (Set(before), Set(after))
    for link in after where !former.contains(link) {
      try transaction.set([], for: keys.asset(link.checksum.text, in: name, field: link.field))
      try transaction.set([], for: holder(link.checksum, record: name, field: link.field))
    }
    for link in before where !current.contains(link) {
      try transaction.remove(keys.asset(link.checksum.text, in: name, field: link.field))
      try release(of: link.checksum, record: name, field: link.field, at: time, in: transaction)
    }
  }

  /// Removes some of a deleted zone's links.
  ///
  /// - Returns: The number of removed links; fewer than `most` if no more are left.
  func remove(most: Int, at time: Timestamp, in transaction: any StorageWriting) throws -> Int {
    let range = keys.assets
    let links = try transaction.entries(in: range, limit: most).map(\.key)
    for link in links {
      let texts = try ZoneKeys.texts(3, of: link.bytes.span, after: range)
      guard let checksum = AssetChecksum(text: texts[0]) else {
        throw BinaryCodingError(reason: "a zone holds a file whose name is no checksum", offset: 0)
      }
      try release(of: checksum, record: texts[1], field: texts[2], at: time, in: transaction)
      try transaction.remove(link)
    }
    return links.count
  }

  /// Removes a holder of a file, and schedules an examination of the file.
  ///
  /// The file is not deleted at once, because a client may just have received its address.
  private func release(
    of checksum: AssetChecksum, record: String, field: String, at time: Timestamp,
    in transaction: any StorageWriting
  ) throws {
    try transaction.remove(holder(checksum, record: record, field: field))
    _ = try AssetCatalogue.renew(checksum, until: time, in: transaction)
  }

  private func links(of record: StoredRecord?) -> [Link] {
    guard let record, record.fields.containsLinks else { return [] }
    var found: [Link] = []
    var seen: Set<Link> = []
    for entry in record.fields {
      for asset in entry.field.value.assets {
        guard let checksum = AssetChecksum(text: asset.fileChecksum) else { continue }
        let link = Link(checksum: checksum, field: entry.name)
        if seen.insert(link).inserted { found.append(link) }
      }
    }
    return found
  }

  private func holder(_ checksum: AssetChecksum, record: String, field: String) -> StorageKey {
    var key = AssetKeys.holders(of: checksum)
    key.append(text: keys.database.owner)
    key.append(unsigned: keys.database.realm.number)
    key.append(unsigned: keys.number)
    key.append(text: record)
    key.append(text: field)
    return key
  }
}
