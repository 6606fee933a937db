/// The kinds of requests that a persistent store can receive.
public enum NSPersistentStoreRequestType: UInt, Sendable, CaseIterable {
  /// A fetch.
  case fetchRequestType = 1
  /// A save.
  case saveRequestType = 2
  /// A batch insertion.
  case batchInsertRequestType = 5
  /// A batch update.
  case batchUpdateRequestType = 6
  /// A batch deletion.
  case batchDeleteRequestType = 7
}
