import CloudRecords

/// The shares that cover the records of a draft.
///
/// After the draft is stored, `CoverageWalk` updates the stored descendants of the draft's records.
extension ZoneDraft {
  /// The name of the share that covers a record in the draft; nil if no share does.
  ///
  /// A record is covered by its own share, or by the share of its nearest ancestor that has one.
  func covering(_ record: StoredRecord) throws -> String? {
    // A hierarchical share covers its own record, so that participants see it.
    if let share = record.share { return share.rootName == nil ? nil : record.recordName }
    return try inheritedShare(by: record)
  }

  /// The share that a record's children inherit if they have none of their own.
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

  /// Updates the current and former covering shares of each changed record.
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
  /// The current share is compared with that of the stored entry, on which the shares of stored
  /// children depend. If the entry is a tombstone, the children are updated in any case.
  private static func mayHaveChildrenCovered(otherwise before: StoredEntry?, now: String?) -> Bool {
    switch before {
    case .record(let known): known.coveringShareName != now
    case .tombstone: true
    case nil: false
    }
  }

  /// The existing shares that showed a record and no longer do.
  ///
  /// Ended shares are not needed: when a reader's shares change, the reader's token expires.
  func former(of before: StoredEntry?, now: String?) throws -> [PreviousShare] {
    guard let shares = before?.seenByShares, !shares.isEmpty else { return [] }
    return try shares.filter { try $0.name != now && outline(of: $0.name)?.share != nil }
  }
}
