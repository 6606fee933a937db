import CloudKitClient
import CloudRecords
import Foundation
import MirrorModel
import SyncKernel
import Synchronization

/// The server's notifications: changed zones, and the existence of the subscription.
final class MirrorNews: Sendable {
  private struct State {
    var changedZones = ChangedZones<RecordZoneIdentifier>()
    var subscription = SubscriptionWatch()
  }

  private let state = Mutex(State())

  /// Records a reason to import, with its zone if that is known.
  func note(_ trigger: MirrorMachine.Trigger, _ zone: RecordZoneIdentifier?) {
    if trigger.mayConcernZones { state.withLock { $0.changedZones.note(zone) } }
  }

  /// Calls a block with each notification, and its zone if the server named one, until the task is
  /// cancelled; nil without a server.
  func listen(
    to database: CKDatabase,
    _ heard: @escaping @Sendable (MirrorMachine.Trigger, RecordZoneIdentifier?) -> Void
  ) -> Task<Void, Never>? {
    database.listen { [self] reason in
      switch reason {
      case .listening:
        state.withLock { $0.subscription.listens() }
        heard(.networkReturned, nil)
        heard(.listening, nil)
      case .silent(let error):
        let text = "The push connection failed. \(error.localizedDescription)"
        heard(.silence(MirrorError(.notListening, text)), nil)
      case .changed(let zoneID): heard(.push, zoneID.map { RecordZoneIdentifier($0) })
      case .subscriptionsEnded:
        state.withLock { $0.subscription.isInDoubt() }
        heard(.push, nil)
      case .schemaChanged: heard(.schemaChanged, nil)
      }
    }
  }

  /// Returns whether notifications named only this zone, and clears them.
  func takeIsAlone(_ zone: RecordZoneIdentifier) -> Bool {
    state.withLock { $0.changedZones.take() } == [zone]
  }

  /// If a check is due, creates the store's subscription again if another program deleted it.
  func checkSubscription(of mirror: MirrorStore) async throws {
    let (now, before) = (mirror.now, state.withLock { $0.subscription })
    guard let name = mirror.subscriptionName, before.isDue(at: now) else { return }
    let database = try mirror.database
    if try await !database.allSubscriptions().contains(where: { $0.subscriptionID == name }) {
      try await database.save(CKDatabaseSubscription(subscriptionID: name))
    }
    state.withLock { $0.subscription.looked(at: now, asOf: before) }
  }
}

extension MirrorMachine.Trigger {
  /// Whether zones may have changed.
  ///
  /// Events on this device do not concern zones.
  fileprivate var mayConcernZones: Bool {
    switch self {
    case .saved, .unsentFound, .silence, .schemaChanged, .timer, .pause, .stop: false
    default: true
    }
  }
}
