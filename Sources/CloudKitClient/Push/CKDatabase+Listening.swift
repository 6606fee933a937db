/// Why a database may have changed.
package enum ChangeReason: Sendable {
  /// The device listens from now on: it has a network, and what happened before was perhaps not
  /// told.
  ///
  /// - `tellsOfEnds`: Whether the server tells when a subscription ends.
  case listening(tellsOfEnds: Bool)
  /// Nothing is heard, and why: changes are told when the device listens again.
  case silent(CKError)
  /// Somebody says so: the server, or an engine of this program.
  case changed
  /// The schema may have changed: what was refused for want of a type or a field may be taken now.
  case schemaChanged
  /// A subscription has ended, or its end is perhaps among what was left out: who relies on one
  /// looks after it.
  case subscriptionsEnded
}

extension CKDatabase {
  /// Calls a block whenever the database may have changed, for as long as the task lives that it
  /// gives; nil where there is no server.
  ///
  /// The server tells of changes by the database's subscriptions. Beginning to listen is a reason
  /// as well: what happened before was perhaps not told.
  ///
  /// - Parameter listener: The engine that listens, which knows what it did itself.
  package func listen(
    as listener: ObjectIdentifier? = nil, _ heard: @escaping @Sendable (ChangeReason) -> Void
  ) -> Task<Void, Never>? {
    guard let hearing = container.hear() else { return nil }
    let scope = databaseScope
    return Task {
      await hearing { word in
        switch word {
        case .listening(let tellsOfEnds): heard(.listening(tellsOfEnds: tellsOfEnds))
        case .silent(let error): heard(.silent(error))
        case .notification(let notification as CKDatabaseNotification):
          if notification.databaseScope == scope { heard(notification.payload.reason) }
        case .saved(let savedScope, let engine):
          if savedScope == scope, engine != listener { heard(.changed) }
        case .schemaChanged: heard(.schemaChanged)
        case .subscriptionsChanged(let changedScope):
          if changedScope == scope { heard(.subscriptionsEnded) }
        case .notification: break
        }
      }
    }
  }
}

extension NotificationPayload {
  fileprivate var reason: ChangeReason { isLast || isPruned ? .subscriptionsEnded : .changed }
}
