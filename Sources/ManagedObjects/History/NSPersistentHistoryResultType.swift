/// What a request to the history gives.
public enum NSPersistentHistoryResultType: Int, Sendable {
  /// Whether it was carried out: a Boolean.
  case statusOnly = 0
  /// The identifiers of the objects that were changed: an array of `NSManagedObjectID`, each once.
  case objectIDs = 1
  /// How many transactions there are, or how many changes where changes are fetched.
  case count = 2
  /// An array of `NSPersistentHistoryTransaction`, without their changes.
  case transactionsOnly = 3
  /// An array of `NSPersistentHistoryChange`.
  case changesOnly = 4
  /// An array of `NSPersistentHistoryTransaction`, with their changes.
  case transactionsAndChanges = 5
}

/// What happened to an object.
public enum NSPersistentHistoryChangeType: Int, Sendable {
  /// It was inserted.
  case insert = 0
  /// It was updated.
  case update = 1
  /// It was deleted.
  case delete = 2
}
