/// A reason why a database may have changed.
package enum ChangeReason: Sendable {
  /// The device has started to listen. Earlier changes may not have been reported.
  ///
  /// - `tellsOfEnds`: Whether the server reports the end of subscriptions.
  case listening(tellsOfEnds: Bool)
  /// The device cannot listen, for the given reason. `listening` follows when it can again.
  case silent(CKError)
  /// The server or another sync engine of this process has reported a change.
  ///
  /// - `zone`: The changed zone; nil if any zone may have changed.
  case changed(zone: CKRecordZone.ID?)
  /// The schema may have changed. Records that were rejected for a missing type or field may be
  /// accepted now.
  case schemaChanged
  /// A subscription was deleted or replaced, or a notification of this may be among missed ones.
  case subscriptionsEnded
}

extension CKDatabase {
  /// Calls a block whenever the database may have changed, until the returned task is cancelled;
  /// nil if the container is not bound to a server.
  ///
  /// The server sends notifications for the database's subscriptions. The block is also called when
  /// listening starts, because earlier changes may not have been reported.
  ///
  /// - Parameter listener: The sync engine that listens. Its own changes are not reported.
  package func listen(
    as listener: ObjectIdentifier? = nil, _ handler: @escaping @Sendable (ChangeReason) -> Void
  ) -> Task<Void, Never>? {
    guard let listen = container.listenForSignals() else { return nil }
    let scope = databaseScope
    return Task {
      // Other servers may replace one notification by another without marking it as pruned. Then
      // the named zone is not the only changed one, so it is ignored.
      var namesZones = false
      await listen { signal in
        switch signal {
        case .listening(let tellsOfEnds):
          namesZones = tellsOfEnds
          handler(.listening(tellsOfEnds: tellsOfEnds))
        case .silent(let error): handler(.silent(error))
        case .notification(let notification as CKDatabaseNotification):
          if notification.databaseScope == scope {
            handler(notification.payload.reason(namesZones))
          }
        case .saved(let savedScope, let engine):
          if savedScope == scope, engine != listener { handler(.changed(zone: nil)) }
        case .schemaChanged: handler(.schemaChanged)
        case .subscriptionsChanged(let changedScope):
          if changedScope == scope { handler(.subscriptionsEnded) }
        case .notification: break
        }
      }
    }
  }
}

extension NotificationPayload {
  /// The reason that the notification gives.
  ///
  /// A pruned notification may replace others, such as the last one of a subscription.
  fileprivate func reason(_ namesZones: Bool) -> ChangeReason {
    isLast || isPruned ? .subscriptionsEnded : .changed(zone: namesZones ? zoneID : nil)
  }
}
