/// Records that cascades deleted, as they were before, for listeners and within a memory limit.
///
/// Beyond the limit, events have only outlines.
struct CascadedRecords {
  private var room: Int
  /// The records of one zone by name; nil for a record beyond the limit.
  private var records: [String: StoredRecord?] = [:]

  /// Creates an empty collection.
  ///
  /// - Parameter bytes: The maximum total of the records' encoded sizes.
  init(most bytes: Int) { room = bytes }

  /// Starts with another zone.
  mutating func begin() { records = [:] }

  mutating func take(_ record: StoredRecord, _ byteCount: Int) {
    let fits = byteCount <= room
    if fits { room -= byteCount }
    records.updateValue(fits ? record : nil, forKey: record.recordName)
  }

  /// Adds the full record to an event with an outline, if it is known.
  func completed(_ event: RecordEvent) -> RecordEvent {
    guard let known = records[event.record.recordName] else { return event }
    var event = event
    if let record = known { event.record = record } else { event.isWhole = false }
    return event
  }
}
