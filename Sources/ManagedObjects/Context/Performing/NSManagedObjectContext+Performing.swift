import Foundation

/// Performing work on the context's queue.
extension NSManagedObjectContext {
  /// The time at which an asynchronous block runs.
  public enum ScheduledTaskType: Sendable {
    /// The block runs at once if the caller is on the context's queue, and is enqueued otherwise.
    case immediate
    /// The block is always enqueued.
    case enqueued
  }

  /// Runs a block on the context's queue and waits for it.
  ///
  /// The method may be called within a block of the same queue.
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    try queue.performAndWait { try asCurrent(block) }
  }

  /// Runs a block on the context's queue and returns its result.
  ///
  /// The block's changes are one event. It runs on the context's queue regardless of the caller's
  /// actor, and the caller waits for it.
  public nonisolated(nonsending) func perform<T>(
    schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws -> T
  ) async rethrows -> T {
    try await queue.perform(immediately: schedule == .immediate) { [self] in
      defer { endEventAfterBlock() }
      return try asCurrent(block)
    }
  }

  func performLater(_ block: @escaping @Sendable () -> Void) {
    queue.perform { [self] in
      asCurrent(block)
      endEventAfterBlock()
    }
  }

  static func makeQueue(
    _ type: NSManagedObjectContextConcurrencyType, _ dependencies: StackDependencies
  )
    -> ExecutionQueue
  {
    switch type {
    case .mainQueueConcurrencyType: .main(label: "main context", scheduler: dependencies.scheduler)
    case .privateQueueConcurrencyType:
      ExecutionQueue(label: "context", scheduler: dependencies.scheduler)
    default:
      preconditionFailure(
        "A context of confinementConcurrencyType is not supported. Use privateQueueConcurrencyType or mainQueueConcurrencyType."
      )
    }
  }

  // MARK: Current context

  /// The context whose block the task runs.
  ///
  /// A task that the block starts inherits the value, but may run outside of the queue.
  @TaskLocal private static var performing: NSManagedObjectContext?

  /// The context on whose queue the caller runs, if any.
  static var current: NSManagedObjectContext? {
    performing.flatMap { $0.queue.isCurrent ? $0 : nil }
  }

  private func asCurrent<T>(_ block: () throws -> T) rethrows -> T {
    try Self.$performing.withValue(self) { try block() }
  }

  /// Ends the event of the context, and that of its undo manager.
  ///
  /// Hooks and observers that this calls may execute requests in the current context.
  func endEventAfterBlock() {
    guard changes.hasPending || storedUndoManager != nil else { return }
    asCurrent {
      if changes.hasPending { processPendingChanges() }
      storedUndoManager?.endEvent()
    }
  }

  // MARK: Queue check

  /// Stops the program if it uses the context, or one of its objects, on another queue and the
  /// check is on.
  @inline(__always)
  func requireAccess(_ what: @autoclosure () -> String) {
    if dependencies.checksQueues, !queue.isCurrent { QueueCheck.stop(what(), self) }
  }

  /// The initial flags of every object of the context.
  var flagsOfObjects: ObjectFlags {
    var flags: ObjectFlags = dependencies.checksQueues ? .checked : []
    if isObserved { flags.insert(.observed) }
    return flags
  }

  /// The executor for actors that work on the context's queue.
  ///
  /// This property is Parhelion's addition.
  ///
  /// ```swift
  /// actor Importer {
  ///   let context: NSManagedObjectContext
  ///   nonisolated var unownedExecutor: UnownedSerialExecutor {
  ///     context.executor.asUnownedSerialExecutor()
  ///   }
  /// }
  /// ```
  public final var executor: any SerialExecutor { queue }
}
