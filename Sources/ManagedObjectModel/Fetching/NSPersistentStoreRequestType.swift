/// The kinds of requests that a persistent store can receive.
public enum NSPersistentStoreRequestType: UInt, Sendable, CaseIterable {
  /// A fetch.
  case fetchRequestType = 1
  /// A save.
  case saveRequestType = 2
  /// An insertion of many rows.
  case batchInsertRequestType = 5
  /// An update of many rows.
  case batchUpdateRequestType = 6
  /// A deletion of many rows.
  case batchDeleteRequestType = 7
}
