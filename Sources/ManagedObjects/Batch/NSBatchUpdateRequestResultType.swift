/// The form of a batch update's result.
public enum NSBatchUpdateRequestResultType: UInt, Sendable, CaseIterable {
  /// Whether the request succeeded, as `Bool`.
  case statusOnlyResultType = 0
  /// The identifiers of the updated objects, as `[NSManagedObjectID]`.
  case updatedObjectIDsResultType = 1
  /// The number of updated objects, as `Int`.
  case updatedObjectsCountResultType = 2
}
