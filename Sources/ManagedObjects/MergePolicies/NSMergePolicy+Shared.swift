extension NSMergePolicy {
  // Policies of this class are immutable, so contexts on all queues share these.
  private nonisolated(unsafe) static let sharedError = NSMergePolicy(merge: .errorMergePolicyType)
  private nonisolated(unsafe) static let sharedStoreTrump = NSMergePolicy(
    merge: .mergeByPropertyStoreTrumpMergePolicyType)
  private nonisolated(unsafe) static let sharedObjectTrump = NSMergePolicy(
    merge: .mergeByPropertyObjectTrumpMergePolicyType)
  private nonisolated(unsafe) static let sharedOverwrite = NSMergePolicy(
    merge: .overwriteMergePolicyType)
  private nonisolated(unsafe) static let sharedRollback = NSMergePolicy(
    merge: .rollbackMergePolicyType)

  /// A policy that makes a save with conflicts fail.
  ///
  /// This is the default of new contexts.
  public class var error: NSMergePolicy { unsafe sharedError }

  /// A policy that merges conflicts by property.
  ///
  /// If both sides changed a property, the store's value wins.
  public class var mergeByPropertyStoreTrump: NSMergePolicy { unsafe sharedStoreTrump }

  /// A policy that merges conflicts by property.
  ///
  /// If both sides changed a property, the object's value wins.
  public class var mergeByPropertyObjectTrump: NSMergePolicy { unsafe sharedObjectTrump }

  /// A policy with which the context's objects win, with all of their values.
  public class var overwrite: NSMergePolicy { unsafe sharedOverwrite }

  /// A policy with which the store wins, and the changes of conflicting objects are discarded.
  public class var rollback: NSMergePolicy { unsafe sharedRollback }
}

// MARK: - Global constants

/// A policy that makes a save with conflicts fail.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }

/// A policy that merges conflicts by property.
///
/// If both sides changed a property, the store's value wins.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyStoreTrump
}

/// A policy that merges conflicts by property.
///
/// If both sides changed a property, the object's value wins.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyObjectTrump
}

/// A policy with which the context's objects win, with all of their values.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }

/// A policy with which the store wins, and the changes of conflicting objects are discarded.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }
