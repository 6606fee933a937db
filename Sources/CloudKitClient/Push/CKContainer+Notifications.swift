extension CKContainer {
  /// What the server tells this device of, as its subscriptions want it.
  ///
  /// Parhelion's addition: Apple's system hands notifications to the application. Here the program listens, over one connection for all that do; what happened before it
  /// began, and whatever it does itself, is not told. Fetch changes once when you begin.
  ///
  /// ```swift
  /// for await notification in container.notifications {
  ///   if notification is CKDatabaseNotification { try await fetchChanges() }
  /// }
  /// ```
  ///
  /// The stream is empty where the container is bound to no server, or nobody is signed in.
  public var notifications: AsyncStream<CKNotification> {
    guard let words = try? binding().words else { return AsyncStream { $0.finish() } }
    return AsyncStream { line in
      let work = Task {
        for await word in words {
          if case .notification(let notification) = word { line.yield(notification) }
        }
        line.finish()
      }
      line.onTermination = { _ in work.cancel() }
    }
  }
}
