/// A share that showed a record once, and until when.
///
/// Who takes part in it is told that the record is gone, if it began to see by the share before
/// that, and has not been told yet.
package struct PreviousShare: Hashable, Sendable {
  package var name: String
  /// The position of the change by which the share showed the record no more; nil for the position
  /// of the entry that says so.
  package var end: UInt64?

  package init(_ name: String, end: UInt64? = nil) { (self.name, self.end) = (name, end) }

  /// The same, in an entry that may come to lie elsewhere.
  func settled(at position: UInt64) -> PreviousShare { PreviousShare(name, end: end ?? position) }
}

extension [PreviousShare] {
  /// Whether any ended before the entry that says so.
  var haveEnds: Bool { contains { $0.end != nil } }

  func settled(at position: UInt64) -> [PreviousShare] { map { $0.settled(at: position) } }
}

extension StoredEntry {
  /// The entry with numbers for all that it says of its own position: what is made of it has
  /// another.
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
