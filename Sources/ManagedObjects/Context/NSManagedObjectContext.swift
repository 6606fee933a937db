public import Foundation

/// The place in which managed objects live, are changed together, and are saved.
///
/// Everything that a context does, and everything that its objects do, belongs to the context's queue: use
/// `perform(_:)` or `performAndWait(_:)`.
// Sendable: confined to its queue, but for the registry, which has a lock.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  /// On which queue the context does its work.
  public let concurrencyType: NSManagedObjectContextConcurrencyType

  /// A name, for logs and for the history.
  open var name: String?

  /// Whatever a program wants to keep with the context.
  public let userInfo = NSMutableDictionary()

  /// Who makes the changes that the context saves, for the history.
  open var transactionAuthor: String?

  /// Whether the consequences of a deletion wait for the end of the event, or for the save.
  open var propagatesDeletesAtEndOfEvent = true

  /// Whether a fault whose row is gone counts as deleted, instead of stopping the program.
  open var shouldDeleteInaccessibleFaults = true

  /// How old a row in memory may be, in seconds, and still be used for a fault.
  ///
  /// A negative number, the default, allows any age.
  open var stalenessInterval: TimeInterval = -1

  /// Creates a context without a coordinator or a parent.
  public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.concurrencyType = concurrencyType
    super.init()
  }

  /// Creates a context without a coordinator or a parent.
  public convenience init(_ type: NSManagedObjectContextConcurrencyType) {
    self.init(concurrencyType: type)
  }
}
