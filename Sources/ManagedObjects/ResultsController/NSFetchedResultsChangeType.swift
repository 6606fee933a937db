/// The kinds of changes that a fetched results controller reports.
public enum NSFetchedResultsChangeType: UInt, Sendable {
  /// An object or a section was inserted.
  case insert = 1
  /// An object or a section was deleted.
  case delete = 2
  /// An object moved; it may have been updated, too.
  case move = 3
  /// An object was updated and kept its place.
  case update = 4
}
