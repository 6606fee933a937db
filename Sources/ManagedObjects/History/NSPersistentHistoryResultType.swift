/// The form of a persistent history request's result.
public enum NSPersistentHistoryResultType: Int, Sendable {
  /// Whether the request succeeded: a Boolean.
  case statusOnly = 0
  /// The identifiers of the changed objects: an array of `NSManagedObjectID` without duplicates.
  case objectIDs = 1
  /// The number of transactions, or of changes if changes are fetched.
  case count = 2
  /// An array of `NSPersistentHistoryTransaction`, without their changes.
  case transactionsOnly = 3
  /// An array of `NSPersistentHistoryChange`.
  case changesOnly = 4
  /// An array of `NSPersistentHistoryTransaction`, with their changes.
  case transactionsAndChanges = 5
}

/// The type of a change.
public enum NSPersistentHistoryChangeType: Int, Sendable {
  /// The object was inserted.
  case insert = 0
  /// The object was updated.
  case update = 1
  /// The object was deleted.
  case delete = 2
}
