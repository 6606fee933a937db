import CloudRecords
import RecordStorage

/// The indexes of one zone, in one transaction.
struct ZoneIndexes {
  let keys: ZoneKeys
  private(set) var all: [QueryIndex] = []

  /// Reads a zone's indexes.
  ///
  /// Most zones have none, which costs nothing.
  init(of zone: StoredZone, _ keys: ZoneKeys, in transaction: any StorageReading) throws {
    self.keys = keys
    guard zone.lastIndex > 0 else { return }
    all = try transaction.entries(in: keys.queryIndexes).map { try QueryIndex(bytes: $0.value) }
  }

  /// The indexes that queries may use, by subject.
  var ready: [IndexSubject: QueryIndex] {
    Dictionary(
      all.filter { $0.state == .ready }.map { ($0.subject, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  func entry(_ point: [UInt8], _ recordName: String, of index: QueryIndex) -> StorageKey {
    var key = keys.indexEntries(index.number)
    key.bytes += point
    key.append(text: recordName)
    return key
  }

  // MARK: Updating

  /// Updates the entries of a record in all indexes.
  func store(
    from old: StoredRecord?, to new: StoredRecord?, named name: String,
    in transaction: any StorageWriting
  ) throws {
    for index in all where index.state != .dropped {
      let (before, after) = (index.subject.points(of: old), index.subject.points(of: new))
      for point in before.subtracting(after) {
        try transaction.remove(entry(point, name, of: index))
      }
      // The build may not have reached the old record, so its entries may be missing.
      let missing = index.state == .ready ? after.subtracting(before) : after
      for point in missing { try transaction.set([], for: entry(point, name, of: index)) }
    }
  }

  /// Creates an index, unless it exists or the zone has the maximum number.
  static func begin(
    _ subject: IndexSubject, in keys: ZoneKeys, at now: Timestamp, _ transaction: any StorageWriting
  )
    throws
  {
    let directory = ZoneDirectory(database: keys.database)
    guard var zone = try directory.zone(keys.number, in: transaction), zone.deleted == nil else {
      return
    }
    let known = try ZoneIndexes(of: zone, keys, in: transaction).all
    guard known.count < ServerLimits.indexesPerZone,
      !known.contains(where: { $0.subject == subject && $0.state != .dropped })
    else { return }
    zone.lastIndex += 1
    let state = QueryIndex.State.building(position: 0, end: zone.lastPosition)
    let index = QueryIndex(number: zone.lastIndex, subject: subject, state: state)
    try directory.save(zone, in: transaction)
    try save(index, in: keys, transaction)
    try MaintenanceTask(.workOnIndexes, of: keys, due: now).add(in: transaction)
  }

  /// Drops the indexes of given subjects.
  func drop(
    at now: Timestamp, in transaction: any StorageWriting, where isUseless: (IndexSubject) -> Bool
  ) throws {
    let useless = all.filter { $0.state != .dropped && isUseless($0.subject) }
    guard !useless.isEmpty else { return }
    for var index in useless {
      index.state = .dropped
      try Self.save(index, in: keys, transaction)
    }
    try MaintenanceTask(.workOnIndexes, of: keys, due: now).add(in: transaction)
  }

  private static func save(
    _ index: QueryIndex, in keys: ZoneKeys, _ transaction: any StorageWriting
  ) throws {
    try transaction.set(index.bytes, for: keys.queryIndex(index.number))
  }

  // MARK: Building and erasing

  /// Continues building or erasing the first unfinished index.
  ///
  /// - Returns: Whether there was none.
  func step(in transaction: any StorageWriting) throws -> Bool {
    for index in all {
      switch index.state {
      case .ready: continue
      case .building(let position, let end): try build(index, from: position, to: end, transaction)
      case .dropped: try erase(index, transaction)
      }
      return false
    }
    return true
  }

  private func build(
    _ index: QueryIndex, from position: UInt64, to end: UInt64, _ transaction: any StorageWriting
  ) throws {
    let (entries, isWhole) = try transaction.entriesOfStep(in: keys.entries(after: position))
    for entry in entries {
      guard try StoredEntry.recordType(in: entry.value) == index.subject.recordType,
        case .record(let record) = try StoredEntry(bytes: entry.value)
      else { continue }
      for point in index.subject.points(of: record) {
        try transaction.set([], for: self.entry(point, record.recordName, of: index))
      }
    }
    var index = index
    let last = try entries.last.map { try keys.position(of: $0.key.bytes.span) } ?? end
    index.state = isWhole || last >= end ? .ready : .building(position: last, end: end)
    try Self.save(index, in: keys, transaction)
  }

  private func erase(_ index: QueryIndex, _ transaction: any StorageWriting) throws {
    let range = StorageRange(prefix: keys.indexEntries(index.number))
    let found = try transaction.entries(in: range, limit: ServerLimits.entriesPerStep)
    guard let last = found.last else {
      return try transaction.remove(keys.queryIndex(index.number))
    }
    try transaction.removeEntries(in: StorageRange(from: range.lower, to: last.key.successor))
  }
}
