/// On which queue a context does its work.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
  /// The context has a queue of its own.
  case privateQueueConcurrencyType = 1
  /// The context works on the main queue.
  case mainQueueConcurrencyType = 2
}
