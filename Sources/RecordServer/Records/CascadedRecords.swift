/// Records that went along with others, as they were: for whoever listens, as many as there is room
/// for.
///
/// Of the rest, outlines are told.
struct CascadedRecords {
  private var room: Int
  /// By names, of one zone; nil where there was no room.
  private var records: [String: StoredRecord?] = [:]

  /// - Parameter bytes: What they come to at most, as they were stored.
  init(most bytes: Int) { room = bytes }

  /// Begins with another zone.
  mutating func begin() { records = [:] }

  mutating func take(_ record: StoredRecord, _ byteCount: Int) {
    let fits = byteCount <= room
    if fits { room -= byteCount }
    records.updateValue(fits ? record : nil, forKey: record.recordName)
  }

  /// An event that tells of an outline, with what is known.
  func completed(_ event: RecordEvent) -> RecordEvent {
    guard let known = records[event.record.recordName] else { return event }
    var event = event
    if let record = known { event.record = record } else { event.isWhole = false }
    return event
  }
}
