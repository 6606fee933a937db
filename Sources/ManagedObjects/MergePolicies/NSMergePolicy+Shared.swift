extension NSMergePolicy {
  // A policy of this class never changes, so that contexts of all queues share these.
  private nonisolated(unsafe) static let sharedError = NSMergePolicy(merge: .errorMergePolicyType)
  private nonisolated(unsafe) static let sharedStoreTrump = NSMergePolicy(
    merge: .mergeByPropertyStoreTrumpMergePolicyType)
  private nonisolated(unsafe) static let sharedObjectTrump = NSMergePolicy(
    merge: .mergeByPropertyObjectTrumpMergePolicyType)
  private nonisolated(unsafe) static let sharedOverwrite = NSMergePolicy(
    merge: .overwriteMergePolicyType)
  private nonisolated(unsafe) static let sharedRollback = NSMergePolicy(
    merge: .rollbackMergePolicyType)

  /// A save with conflicts fails: the policy of every new context.
  public class var error: NSMergePolicy { unsafe sharedError }

  /// Conflicts are merged property by property; where both sides changed one, the store's value
  /// wins.
  public class var mergeByPropertyStoreTrump: NSMergePolicy { unsafe sharedStoreTrump }

  /// Conflicts are merged property by property; where both sides changed one, the object's value
  /// wins.
  public class var mergeByPropertyObjectTrump: NSMergePolicy { unsafe sharedObjectTrump }

  /// The objects of the context win, with all of their values.
  public class var overwrite: NSMergePolicy { unsafe sharedOverwrite }

  /// The store wins: the changes of objects in conflict are discarded.
  public class var rollback: NSMergePolicy { unsafe sharedRollback }
}

// MARK: - The names of old

/// A save with conflicts fails.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }

/// Conflicts are merged property by property; where both sides changed one, the store's value wins.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyStoreTrump
}

/// Conflicts are merged property by property; where both sides changed one, the object's value
/// wins.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyObjectTrump
}

/// The objects of the context win, with all of their values.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }

/// The store wins: the changes of objects in conflict are discarded.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }
