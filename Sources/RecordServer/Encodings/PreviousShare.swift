/// A share that formerly showed a record, and the end of that time.
///
/// The feed reports the record as deleted to a participant who saw it through the share, and who
/// has not received the deletion yet.
package struct PreviousShare: Hashable, Sendable {
  package var name: String
  /// The position of the change that ended that time; nil for the position of the entry that
  /// contains this value.
  package var end: UInt64?

  package init(_ name: String, end: UInt64? = nil) { (self.name, self.end) = (name, end) }

  /// The same share with an explicit end, for an entry that may move.
  func settled(at position: UInt64) -> PreviousShare { PreviousShare(name, end: end ?? position) }
}

extension [PreviousShare] {
  /// Whether any share has an explicit end.
  var haveEnds: Bool { contains { $0.end != nil } }

  func settled(at position: UInt64) -> [PreviousShare] { map { $0.settled(at: position) } }
}

extension StoredEntry {
  /// The entry with its position in place of each missing end, for use at another position.
  func settled(at position: UInt64) -> StoredEntry {
    switch self {
    case .record(var record):
      guard !record.formerShares.isEmpty else { return self }
      record.formerShares = record.formerShares.settled(at: position)
      return .record(record)
    case .tombstone(var tombstone):
      tombstone.shares = tombstone.shares.settled(at: position)
      tombstone.end = tombstone.end ?? position
      return .tombstone(tombstone)
    }
  }
}
