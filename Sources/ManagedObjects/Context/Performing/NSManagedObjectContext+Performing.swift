import Foundation

/// Work on the context's queue.
extension NSManagedObjectContext {
  /// When an asynchronous block runs.
  public enum ScheduledTaskType: Sendable {
    /// Within the caller's block, where the caller is on the context's queue already; else in its
    /// turn.
    case immediate
    /// In its turn.
    case enqueued
  }

  /// Runs a block on the context's queue, and returns when it has run.
  ///
  /// It may be called within a block of the same queue.
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    try queue.performAndWait { try asCurrent(block) }
  }

  /// Runs a block on the context's queue, and gives its result.
  ///
  /// The block's changes are one event. It runs on the context's queue whatever actor the caller is
  /// on, and the caller waits for it.
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

  // MARK: The context of the running block

  /// The context on whose queue the caller runs, if it is in one of its blocks.
  @TaskLocal private static var performing: NSManagedObjectContext?

  static var current: NSManagedObjectContext? {
    performing.flatMap { $0.queue.isCurrent ? $0 : nil }
  }

  private func asCurrent<T>(_ block: () throws -> T) rethrows -> T {
    try Self.$performing.withValue(self) { try block() }
  }

  private func endEventAfterBlock() {
    if changes.hasPending { processPendingChanges() }
  }

  // MARK: The right queue

  /// Stops a program that uses the context, or one of its objects, on another queue.
  @inline(__always)
  func requireAccess(_ what: @autoclosure () -> String) {
    if dependencies.checksQueues, !queue.isCurrent { QueueCheck.stop(what(), self) }
  }

  /// The flags that every object of the context starts with.
  var flagsOfObjects: ObjectFlags {
    var flags: ObjectFlags = dependencies.checksQueues ? .checked : []
    if isObserved { flags.insert(.observed) }
    return flags
  }

  /// The executor of actors whose work is to be done on the context's queue.
  ///
  /// Parhelion's addition.
  ///
  /// ```swift
  /// actor Importer {
  ///   let context: NSManagedObjectContext
  ///   nonisolated var unownedExecutor: UnownedSerialExecutor { context.executor.asUnownedSerialExecutor() }
  /// }
  /// ```
  public final var executor: any SerialExecutor { queue }
}
