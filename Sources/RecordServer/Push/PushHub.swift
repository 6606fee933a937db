import CloudRecords
package import CloudWire
import Synchronization

/// Notifies devices of changes.
///
/// Committed changes are queued, so that writers do not wait for listeners. `run` processes them in
/// order, finds the matching subscriptions, and delivers notifications to devices. All state is in
/// memory: notifications are hints, and clients fetch the changes.
package final class PushHub: ChangeListener {
  private let index = SubscriptionIndex()
  private let mailboxes: Mailboxes
  private let queuedNotices: AsyncStream<QueuedNotice>
  private let queue: AsyncStream<QueuedNotice>.Continuation

  /// An item of the queue.
  private enum QueuedNotice: Sendable {
    case changed(ZoneNotice)
    case ended(EndedSubscriptions)
  }

  /// Creates a hub without listeners.
  ///
  /// - Parameter capacity: The maximum number of pending notifications per device.
  package init(capacity: Int = 32) {
    mailboxes = Mailboxes(capacity: capacity)
    (queuedNotices, queue) = AsyncStream.makeStream()
  }

  package func zonesChanged(_ notices: [ZoneNotice]) {
    for notice in notices where !index.hasNoListener(for: notice) { queue.yield(.changed(notice)) }
  }

  package func listeningChanged(_ change: ListeningChange) {
    index.forget(change)
    switch change {
    case .devices(_, _, let gone): mailboxes.end(gone)
    case .ended(let ended): queue.yield(.ended(ended))
    case .subscriptions: break
    }
  }

  /// Makes `run` return once the queue is empty.
  package func finish() { queue.finish() }

  /// Delivers notifications until the task is cancelled or `finish` is called.
  ///
  /// - Parameter report: Receives errors; later changes are still processed.
  package func run(for server: RecordServer, report: @Sendable (any Error) -> Void) async {
    for await notice in queuedNotices {
      do {
        switch notice {
        case .changed(let notice): try await deliver(notice, server)
        case .ended(let ended): try await deliver(ended, server)
        }
      } catch {
        report(error)
      }
    }
  }

  private func deliver(_ notice: ZoneNotice, _ server: RecordServer) async throws {
    let (index, version) = (index, index.version)
    let match = try await server.read(nil) { transaction in
      try PushMatcher(notice, server, index, version: version, transaction).run()
    }
    if !match.spent.isEmpty {
      try await server.write(nil) { transaction in
        for spent in match.spent {
          try spent.store.remove(spent.identifier, of: spent.user, in: transaction)
        }
      }
      for spent in match.spent {
        index.forget(.subscriptions(notice.realm, spent.store.scope, user: spent.user))
      }
    }
    for delivery in match.deliveries {
      for token in delivery.tokens { mailboxes.put(delivery.notification, for: token) }
    }
  }
}

// MARK: - Ending

extension PushHub {
  /// Notifies a user's other devices that subscriptions ended, since they would otherwise wait for
  /// ever.
  ///
  /// Query subscriptions are left out: their notifications name a record.
  private func deliver(_ ended: EndedSubscriptions, _ server: RecordServer) async throws {
    let (index, version) = (index, index.version)
    let tokens = try await server.read(nil) { transaction in
      let devices = DeviceStore(realm: ended.realm, user: ended.user)
      return try index.devices(
        devices, version: version, at: server.dependencies.now(), in: transaction)
    }
    for subscription in ended.subscriptions {
      guard let content = subscription.kind.contentOfEnd else { continue }
      var notification = PushNotification(
        identifier: UUIDText.text(server.dependencies.makeName()), container: ended.container,
        userRecordName: ended.user, scope: ended.scope, subscription: subscription, content: content
      )
      notification.info = nil
      notification.isLast = true
      for token in tokens where token != ended.deviceToken {
        mailboxes.put(notification, for: token)
      }
    }
  }
}

extension Subscription.Kind {
  fileprivate var contentOfEnd: PushNotification.Content? {
    switch self {
    case .query: nil
    case .zone(let zone): .zone(zone)
    case .database: .database(nil)
    }
  }
}

// MARK: - Waiting

/// The result of a device's wait.
package enum PushWait: Hashable, Sendable {
  /// A notification, which is not delivered again.
  ///
  /// It is boxed, so that results of thousands of waits stay small.
  indirect case notification(PushNotification)
  /// No notification for a while: the device should check that the server is still there.
  case quiet
  /// A device was removed after the caller had begun to check this one, so it has to check again.
  case unchecked
  /// The task was cancelled, the device waits elsewhere, or the hub was closed.
  case ended
}

extension PushHub {
  /// The number of times that devices were removed.
  package var removals: UInt64 { mailboxes.removals }

  /// Waits until there is a notification for a device.
  ///
  /// - Parameter removals: The value of `removals` before the caller checked that the device is
  ///   known; nil if it did not check.
  package func wait(for token: String, since removals: UInt64? = nil) async -> PushWait {
    await mailboxes.wait(for: token, since: removals)
  }

  /// Ends the waits that have lasted for a whole round, with the result `quiet`.
  ///
  /// The caller decides how long a round is.
  package func endRound() { mailboxes.endRound() }

  /// Ends all current and future waits.
  package func close() { mailboxes.close() }

  /// The next notification for a device, which is not delivered again.
  ///
  /// - Returns: Nil if the task is cancelled, the device waits elsewhere, or the hub is closed.
  package func next(for token: String) async -> PushNotification? {
    while true {
      switch await wait(for: token) {
      case .notification(let notification): return notification
      case .quiet, .unchecked: continue
      case .ended: return nil
      }
    }
  }

  /// An asynchronous sequence of a device's notifications.
  package func notifications(for token: String) -> PushNotifications {
    PushNotifications(hub: self, token: token)
  }

  /// The number of pending notifications of a device.
  package func queueLength(of token: String) -> Int { mailboxes.queueLength(of: token) }

  /// The number of waiting devices.
  package var waiterCount: Int { mailboxes.waiterCount }
}

/// An asynchronous sequence of a device's notifications, until the task is cancelled, the device
/// waits elsewhere, or the hub is closed.
package struct PushNotifications: AsyncSequence, Sendable {
  fileprivate let hub: PushHub
  fileprivate let token: String

  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let hub: PushHub
    fileprivate let token: String

    package func next() async -> PushNotification? { await hub.next(for: token) }
  }

  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(hub: hub, token: token) }
}
