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
    guard let hearing = hear() else { return AsyncStream { $0.finish() } }
    return AsyncStream { line in
      let work = Task {
        await hearing { word in
          if case .notification(let notification) = word { line.yield(notification) }
        }
        line.finish()
      }
      line.onTermination = { _ in work.cancel() }
    }
  }

  /// Begins to listen; where the container is bound anew, that goes on there.
  ///
  /// - Returns: What tells the words until its task is cancelled; nil where there is no server.
  func hear() -> (@Sendable (_ heard: (PushWord) -> Void) async -> Void)? {
    guard let first = try? binding() else { return nil }
    let words = first.words
    return { heard in
      var (binding, words) = (first, words)
      while true {
        for await word in words { heard(word) }
        guard !Task.isCancelled, let next = try? self.binding(), next !== binding else { return }
        (binding, words) = (next, next.words)
      }
    }
  }
}
