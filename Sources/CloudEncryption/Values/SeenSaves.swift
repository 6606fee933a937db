import CloudRecords

/// The last saves of records that a process has seen, to detect a record that goes back.
struct SeenSaves {
  private var saves: [RecordIdentifier: [String: SealStamp]] = [:]
  /// The records in the order in which they were first seen.
  private var order: [RecordIdentifier] = []

  /// Notes what the server shows.
  ///
  /// - Returns: Whether no field is of an earlier save than before.
  mutating func note(_ stamps: [String: SealStamp], of record: RecordIdentifier) -> Bool {
    guard !stamps.isEmpty else { return true }
    guard var known = saves[record] else {
      saves[record] = stamps
      order.append(record)
      // The oldest half goes, so that it happens rarely.
      if order.count > Limits.seenRecords {
        for old in order.prefix(Limits.seenRecords / 2) { saves[old] = nil }
        order.removeFirst(Limits.seenRecords / 2)
      }
      return true
    }
    let goesBack = stamps.contains { field, stamp in
      known[field].map { !stamp.mayFollow($0) } ?? false
    }
    for (field, stamp) in stamps { known.note(stamp, of: field) }
    saves[record] = known
    return !goesBack
  }
}
