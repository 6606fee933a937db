/// On which queue a context does its work.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
  /// The context belongs to the thread that uses it.
  ///
  /// Only the name exists, for sources that mention it: creating such a context stops the program.
  @available(*, deprecated, message: "Use privateQueueConcurrencyType or mainQueueConcurrencyType.")
  case confinementConcurrencyType = 0
  /// The context has a queue of its own.
  case privateQueueConcurrencyType = 1
  /// The context works on the main queue.
  case mainQueueConcurrencyType = 2
}
