import CloudRecords

/// The shares that cover the records of a draft. `CoverageWalk` updates the descendants.
extension ZoneDraft {
  /// The share that covers a record in the draft: its own, or that of its nearest ancestor with
  /// one.
  func covering(_ record: StoredRecord) throws -> String? {
    // A share of a record covers itself, so that participants see it.
    if let share = record.share { return share.rootName == nil ? nil : record.recordName }
    return try inheritedShare(by: record)
  }

  /// The share that covers a record's children without their own.
  private func inheritedShare(by record: StoredRecord) throws -> String? {
    // Most records have no parent.
    guard record.parentName != nil else { return record.shareName }
    var next: StoredRecord? = record
    var seen: Set<String> = []
    while let record = next, seen.insert(record.recordName).inserted {
      if let share = record.shareName { return share }
      if isCovered(asStored: record) { return record.coveringShareName }
      next = try record.parentName.flatMap { try self.outline(of: $0) }
    }
    return nil
  }

  /// Whether the stored covering share of a record is also its share in the draft.
  private func isCovered(asStored record: StoredRecord) -> Bool {
    !movesTrees && record.share == nil && !isChanged(record.recordName)
  }

  /// Updates the covering share, present and former, of each changed record.
  ///
  /// - Returns: The records whose children may have another covering share, to be updated after the
  ///   draft is stored.
  func coverChanges() throws -> [CoverageWalk.Root] {
    var roots: [CoverageWalk.Root] = []
    for name in changedNames {
      guard let record = try record(name) else { continue }
      let (before, now) = (try stored(name), try covering(record))
      try stamp(record, covered: now, before: before)
      guard Self.mayHaveChildrenCovered(otherwise: before, now: now) else { continue }
      roots.append(CoverageWalk.Root(name: name, inheritedShare: try inheritedShare(by: record)))
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

  /// Whether a record's children may be covered by another share than before.
  ///
  /// It compares with the stored entry, deleted or not, since readers know it and its children
  /// depend on it.
  private static func mayHaveChildrenCovered(otherwise before: StoredEntry?, now: String?) -> Bool {
    switch before {
    case .record(let known): known.coveringShareName != now
    case .tombstone: true
    case nil: false
    }
  }

  /// The existing shares that showed a record and no longer do.
  ///
  /// Readers whose shares changed start over.
  func former(of before: StoredEntry?, now: String?) throws -> [PreviousShare] {
    guard let shares = before?.seenByShares, !shares.isEmpty else { return [] }
    return try shares.filter { try $0.name != now && outline(of: $0.name)?.share != nil }
  }
}
