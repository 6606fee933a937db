extension CKContainer {
  /// What the server tells this device of, as its subscriptions want it.
  ///
  /// Parhelion's addition: Apple's system hands notifications to the application. Here the program
  /// listens, over one connection for all that do; whatever it does itself is not told. What
  /// happened before it listened, or while the connection was broken, may never be told. So as soon
  /// as the device listens, and each time that it listens again, there is a
  /// `CKDatabaseNotification` for each database, without a subscription and with `isPruned`: fetch
  /// changes then, and of the public database, which has no feed of them, ask queries again.
  ///
  /// ```swift
  /// for await notification in container.notifications {
  ///   guard let notification = notification as? CKDatabaseNotification else { continue }
  ///   // The public database has no feed of changes: what is shown of it is asked for by queries again.
  ///   guard notification.databaseScope != .public else { continue }
  ///   try await fetchChanges(in: notification.databaseScope)
  /// }
  /// ```
  ///
  /// The stream is empty where the container is bound to no server, or nobody is signed in.
  public var notifications: AsyncStream<CKNotification> {
    guard let hearing = hear() else { return AsyncStream { $0.finish() } }
    let name = try? binding().containerIdentifier
    return AsyncStream { line in
      let work = Task {
        await hearing { word in
          switch word {
          case .notification(let notification): line.yield(notification)
          case .listening:
            for notification in CKNotification.ofWhatWasMissed(in: name) {
              line.yield(notification)
            }
          case .silent, .saved, .schemaChanged, .subscriptionsChanged: break
          }
        }
        line.finish()
      }
      line.onTermination = { _ in work.cancel() }
    }
  }

  /// Begins to listen; where the container is bound anew, that goes on there.
  ///
  /// - Returns: What tells the words until its task is cancelled; nil where there is no server.
  func hear() -> (@Sendable (_ heard: (PushSignal) -> Void) async -> Void)? {
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
