extension NSPersistentStoreCoordinator {
  /// Runs a block on the coordinator's queue and returns its result.
  public func perform<T>(_ block: @escaping @Sendable () throws -> T) async rethrows -> T {
    try await queue.perform(immediately: true, block)
  }

  /// Runs a block on the coordinator's queue and waits for it.
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    try queue.performAndWait(block)
  }
}
