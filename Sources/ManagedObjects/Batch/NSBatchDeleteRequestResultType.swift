/// The form of a batch deletion's result.
public enum NSBatchDeleteRequestResultType: UInt, Sendable, CaseIterable {
  /// Whether the request succeeded, as `Bool`.
  case resultTypeStatusOnly = 0
  /// The identifiers of the deleted objects, as `[NSManagedObjectID]`.
  case resultTypeObjectIDs = 1
  /// The number of deleted objects, as `Int`.
  case resultTypeCount = 2
}
