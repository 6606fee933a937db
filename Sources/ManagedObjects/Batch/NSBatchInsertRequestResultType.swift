/// The form of a batch insertion's result.
public enum NSBatchInsertRequestResultType: UInt, Sendable, CaseIterable {
  /// Whether the request succeeded, as `Bool`.
  case statusOnly = 0
  /// The identifiers of the inserted objects, as `[NSManagedObjectID]`.
  case objectIDs = 1
  /// The number of inserted objects, as `Int`.
  case count = 2
}
