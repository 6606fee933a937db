import CloudRecords

/// Which shares cover which records of a draft; what lies below them in the trees of parents
/// follows (`CoverageWalk`).
extension ZoneDraft {
  /// The share that covers a record as the draft has it: its own, or that of its nearest ancestor
  /// that has one.
  func covering(_ record: StoredRecord) throws -> String? {
    // A share of a record belongs to itself: whoever takes part in it sees it.
    if let share = record.share { return share.rootName == nil ? nil : record.recordName }
    return try handedDown(by: record)
  }

  /// The share that covers the children of a record that have none of their own.
  private func handedDown(by record: StoredRecord) throws -> String? {
    // Most records stand alone.
    guard record.parentName != nil else { return record.shareName }
    var next: StoredRecord? = record
    var seen: Set<String> = []
    while let record = next, seen.insert(record.recordName).inserted {
      if let share = record.shareName { return share }
      next = try record.parentName.flatMap { try self.outline(of: $0) }
    }
    return nil
  }

  /// Says of each changed record to which share it belongs now, and to which it did before.
  ///
  /// - Returns: Those whose children may belong to another share than before, to be followed when
  ///   the draft is stored.
  func coverChanges() throws -> [CoverageWalk.Root] {
    var roots: [CoverageWalk.Root] = []
    for name in changedNames {
      guard let record = try record(name) else { continue }
      let (before, now) = (try stored(name), try covering(record))
      try stamp(record, covered: now, before: before)
      guard Self.mayHaveChildrenCovered(otherwise: before, now: now) else { continue }
      roots.append(CoverageWalk.Root(name: name, handedDown: try handedDown(by: record)))
    }
    return roots
  }

  private func stamp(_ record: StoredRecord, covered now: String?, before: StoredEntry?) throws {
    let former = try former(of: before, now: now)
    guard now != record.coveringShareName || former != record.formerShares else { return }
    var covered = record
    (covered.coveringShareName, covered.formerShares) = (now, former)
    restamp(covered)
  }

  /// What counts is what was stored of a name, deleted or not: this is what readers know, and what
  /// its children follow.
  private static func mayHaveChildrenCovered(otherwise before: StoredEntry?, now: String?) -> Bool {
    switch before {
    case .record(let known): known.coveringShareName != now
    case .tombstone: true
    case nil: false
    }
  }

  /// The shares that showed a record and do not now, of those that there still are: who sees a zone
  /// by other ones begins anew.
  func former(of before: StoredEntry?, now: String?) throws -> [PreviousShare] {
    guard let shares = before?.seenByShares, !shares.isEmpty else { return [] }
    return try shares.filter { try $0.name != now && outline(of: $0.name)?.share != nil }
  }
}
