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
    var queued: Set<String> = []
    var index = 0
    while index < queue.count {
      defer { index += 1 }
      guard let record = try record(queue[index]), try cover(record) else { continue }
      if queued.isEmpty { queued = Set(queue) }
      for child in try children(of: record.recordName) where queued.insert(child).inserted { queue.append(child) }
    }
  }

  /// Says of a record to which share it belongs now, and to which it did before.
  ///
  /// What counts is what was stored of its name, deleted or not: this is what readers know, and what its children follow.
  ///
  /// - Returns: Whether its children may belong to another share than before.
  private func cover(_ record: StoredRecord) throws -> Bool {
    let name = record.recordName
    let (before, now) = (try stored(name), try covering(record))
    if isChanged(name) || now != record.coveringShareName {
      let former = try former(of: before, now: now)
      if now != record.coveringShareName || former != record.formerShares {
        var covered = record
        (covered.coveringShareName, covered.formerShares) = (now, former)
        restamp(covered)
      }
    }
    switch before {
    case .record(let known): return known.coveringShareName != now
    case .tombstone: return true
    case nil: return false
    }
  }

  /// The shares that showed a record and do not now, of those that there still are: who sees a zone by other ones begins anew.
  private func former(of before: StoredEntry?, now: String?) throws -> [FormerShare] {
    guard let shares = before?.seenByShares, !shares.isEmpty else { return [] }
    return try shares.filter { try $0.name != now && record($0.name)?.share != nil }
  }
}
