import CloudRecords

/// Which shares cover which records, down the trees of parents.
extension ZoneDraft {
  /// The share that covers a record as the draft has it: its own, or that of its nearest ancestor that has one.
  func covering(_ record: StoredRecord) throws -> String? {
    // Most records stand alone.
    guard record.parentName != nil || record.share != nil else { return record.shareName }
    var next: StoredRecord? = record
    var seen: Set<String> = []
    // A share of a record belongs to itself: whoever takes part in it sees it.
    if let share = record.share { return share.rootName == nil ? nil : record.recordName }
    while let record = next, seen.insert(record.recordName).inserted {
      if let share = record.shareName { return share }
      next = try record.parentName.flatMap { try self.record($0) }
    }
    return nil
  }

  /// Says of each record to which share it belongs now, from what changed down to the last descendant.
  func spreadCoverage() throws {
    var queue = changedNames
    var index = 0
    while index < queue.count {
      defer { index += 1 }
      guard var record = try record(queue[index]) else { continue }
      let now = try covering(record)
      guard now != record.coveringShareName else { continue }
      if let before = record.coveringShareName, !record.formerShareNames.contains(before) {
        record.formerShareNames.append(before)
      }
      record.formerShareNames.removeAll { $0 == now }
      record.coveringShareName = now
      restamp(record)
      queue += try children(of: record.recordName)
    }
  }
}
