/// The kind of queue on which a context works.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
  /// The context belongs to the thread that uses it.
  ///
  /// This case exists for source compatibility. Creating such a context stops the program.
  @available(*, deprecated, message: "Use privateQueueConcurrencyType or mainQueueConcurrencyType.")
  case confinementConcurrencyType = 0
  /// The context has a private queue.
  case privateQueueConcurrencyType = 1
  /// The context works on the main queue.
  case mainQueueConcurrencyType = 2
}
