import CloudRecords
package import CloudWire
import Synchronization

/// Tells devices of changes.
///
/// Changes come in behind their commits and wait in line, so that no writer waits for listeners;
/// `run` takes them one after the other, finds the subscriptions that fire, and hands notifications
/// to devices. What it has lives in memory: notifications are hints, and clients fetch what
/// changed.
package final class PushHub: ChangeListener {
  private let index = SubscriptionIndex()
  private let mailboxes: Mailboxes
  private let news: AsyncStream<QueuedNotice>
  private let line: AsyncStream<QueuedNotice>.Continuation

  /// What stands in line.
  private enum QueuedNotice: Sendable {
    case changed(ZoneNotice)
    case ended(EndedSubscriptions)
  }

  /// - Parameter capacity: How many notifications wait for one device at most.
  package init(capacity: Int = 32) {
    mailboxes = Mailboxes(capacity: capacity)
    (news, line) = AsyncStream.makeStream()
  }

  package func zonesChanged(_ notices: [ZoneNotice]) {
    for notice in notices where !index.hasNobody(for: notice) { line.yield(.changed(notice)) }
  }

  package func listeningChanged(_ change: ListeningChange) {
    index.forget(change)
    switch change {
    case .devices(_, _, let gone): mailboxes.end(gone)
    case .ended(let ended): line.yield(.ended(ended))
    case .subscriptions: break
    }
  }

  /// Lets `run` end once the line is empty.
  package func finish() { line.finish() }

  /// Hands out notifications until the task is cancelled or `finish` is called.
  ///
  /// - Parameter report: Is given what went wrong; the changes behind it go on.
  package func run(for server: RecordServer, report: @Sendable (any Error) -> Void) async {
    for await word in news {
      do {
        switch word {
        case .changed(let notice): try await handOut(notice, server)
        case .ended(let ended): try await handOut(ended, server)
        }
      } catch {
        report(error)
      }
    }
  }

  private func handOut(_ notice: ZoneNotice, _ server: RecordServer) async throws {
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
  /// Tells a user's other devices that nothing more comes by subscriptions: who relies on one would
  /// wait for ever.
  ///
  /// Queries are left out: what they tell names a record.
  private func handOut(_ ended: EndedSubscriptions, _ server: RecordServer) async throws {
    let (index, version) = (index, index.version)
    let tokens = try await server.read(nil) { transaction in
      let devices = DeviceStore(realm: ended.realm, user: ended.user)
      return try index.devices(
        devices, version: version, at: server.environment.now(), in: transaction)
    }
    for subscription in ended.subscriptions {
      guard let content = subscription.kind.contentOfEnd else { continue }
      var notification = PushNotification(
        identifier: UUIDText.text(server.environment.makeName()), container: ended.container,
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

/// How a device's wait ended.
package enum PushWait: Hashable, Sendable {
  /// With a notification, which is not given again. It lies by itself, since thousands that wait
  /// have room for an ending each.
  indirect case notification(PushNotification)
  /// With nothing, for so long that the device should see that the server is there.
  case quiet
  /// The task was cancelled, the device waits elsewhere, or the hub is closed.
  case ended
}

extension PushHub {
  /// Waits until there is something to say to a device.
  package func wait(for token: String) async -> PushWait { await mailboxes.wait(for: token) }

  /// Ends waits as `quiet` that have lasted for a whole round, of which somebody else keeps the
  /// time.
  package func endRound() { mailboxes.endRound() }

  /// Ends all waits, and those that follow as soon as they begin.
  package func close() { mailboxes.close() }

  /// The next notification for a device, which is then not given again.
  ///
  /// - Returns: Nil once the task is cancelled, the device has begun to wait anew elsewhere, or the
  ///   hub is closed.
  package func next(for token: String) async -> PushNotification? {
    while true {
      switch await wait(for: token) {
      case .notification(let notification): return notification
      case .quiet: continue
      case .ended: return nil
      }
    }
  }

  /// The notifications for a device, as they come.
  package func notifications(for token: String) -> PushNotifications {
    PushNotifications(hub: self, token: token)
  }

  /// How many notifications wait for a device.
  package func queueLength(of token: String) -> Int { mailboxes.queueLength(of: token) }

  /// How many devices are waiting.
  package var waiterCount: Int { mailboxes.waiterCount }
}

/// The notifications for a device, until the task is cancelled, the device waits elsewhere, or the
/// hub is closed.
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
