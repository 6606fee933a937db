package import CloudRecords

/// The last saves of records that a process has seen, to detect that the server shows an earlier
/// version.
package struct SeenSaves: Sendable {
  private var saves: [RecordIdentifier: SealStamps] = [:]
  /// The records in the order in which they were first seen.
  private var order: [RecordIdentifier] = []
  /// Records that the server has shown in an earlier version than before.
  private var older: Set<RecordIdentifier> = []

  package init() {}

  /// The names of plain fields that had sealed values when the process saw the record before.
  func plainFields(_ fields: RecordFields, of record: RecordIdentifier) -> [String] {
    guard let known = saves[record] else { return [] }
    return fields.filter { !$0.field.isEncrypted && known[$0.name] != nil }.map(\.name)
  }

  /// Records the stamps of a record that the server showed, or of a save by this device.
  package mutating func recordStamps(_ stamps: SealStamps, of record: RecordIdentifier) {
    guard !stamps.isEmpty else { return }
    guard var known = saves[record] else { return add(stamps, of: record) }
    if !known.fields(after: stamps.saves).isEmpty { older.insert(record) }
    for save in stamps { known.record(save.stamp, of: save.field) }
    saves[record] = known
  }

  private mutating func add(_ stamps: SealStamps, of record: RecordIdentifier) {
    saves[record] = stamps
    order.append(record)
    guard order.count > Limits.seenRecords else { return }
    // Removing half of the records at once makes removals rare.
    for old in order.prefix(Limits.seenRecords / 2) { saves[old] = nil }
    order.removeFirst(Limits.seenRecords / 2)
  }

  /// Notes that the server shows no sealed value of a record.
  ///
  /// It does nothing for a record that never had one.
  package mutating func noteEmpty(_ record: RecordIdentifier) {
    // A name with a dot is taken for a chunk of a sealed file (`SealedFile`), which is not a field.
    if saves[record]?.contains(where: { !$0.field.contains(".") }) == true { older.insert(record) }
  }

  /// Removes and returns the records that the server has shown in an earlier version than before.
  package mutating func takeOlder() -> Set<RecordIdentifier> {
    defer { older = [] }
    return older
  }
}
