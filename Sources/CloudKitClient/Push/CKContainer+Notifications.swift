extension CKContainer {
  /// The notifications that the server sends to this device for its subscriptions.
  ///
  /// Parhelion's addition. On Apple's platforms, the system delivers notifications to the app. Here
  /// the app listens, over one connection for all listeners. The changes of this device are not
  /// reported.
  ///
  /// Changes before the app listened, or while the connection was interrupted, may never be
  /// reported. Therefore, each time listening starts, the stream yields a `CKDatabaseNotification`
  /// for each database, without a subscription and with `isPruned`. Fetch changes then. The public
  /// database has no change feed, so repeat its queries.
  ///
  /// ```swift
  /// for await notification in container.notifications {
  ///   guard let notification = notification as? CKDatabaseNotification else { continue }
  ///   // The public database has no change feed. Repeat its queries instead.
  ///   guard notification.databaseScope != .public else { continue }
  ///   try await fetchChanges(in: notification.databaseScope)
  /// }
  /// ```
  ///
  /// If the container is not bound to a server, the stream ends at once. While no user is signed
  /// in, the stream waits.
  public var notifications: AsyncStream<CKNotification> {
    guard let listen = listenForSignals() else { return AsyncStream { $0.finish() } }
    let name = try? binding().containerIdentifier
    return AsyncStream { continuation in
      let work = Task {
        await listen { signal in
          switch signal {
          case .notification(let notification): continuation.yield(notification)
          case .listening:
            for notification in CKNotification.ofWhatWasMissed(in: name) {
              continuation.yield(notification)
            }
          case .silent, .saved, .schemaChanged, .subscriptionsChanged: break
          }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in work.cancel() }
    }
  }

  /// Starts listening.
  ///
  /// If the app binds the container again, listening moves to the new binding.
  ///
  /// - Returns: A function that passes on the signals until its task is cancelled; nil if the
  ///   container is not bound to a server.
  func listenForSignals() -> (@Sendable (_ handler: (PushSignal) -> Void) async -> Void)? {
    guard let first = try? binding() else { return nil }
    let signals = first.signals
    return { handler in
      var (binding, signals) = (first, signals)
      while true {
        for await signal in signals { handler(signal) }
        guard !Task.isCancelled, let next = try? self.binding(), next !== binding else { return }
        (binding, signals) = (next, next.signals)
      }
    }
  }
}
