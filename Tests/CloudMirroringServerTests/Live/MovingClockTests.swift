import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import PredicateLanguage
import Synchronization
import TestSupport
import Testing

extension NSPersistentCloudKitContainer.SyncState {
  /// Whether all work is done and the device listens.
  fileprivate var isSettled: Bool { isUpToDate && stores.allSatisfy(\.isListening) }

  /// The time of a waiting store's next retry.
  fileprivate var nextTry: Date? {
    guard case .waiting(let date)? = stores.first?.phase else { return nil }
    return date
  }
}

/// A clock that advances between two readings.
@Suite("A moving clock", .endsAtAll)
struct MovingClockTests {
  /// A clock that stands still except for one moment.
  ///
  /// Only waits below a second ever end.
  private final class MovingClock: Sendable {
    private let state = Mutex(
      (now: Date(timeIntervalSinceReferenceDate: 800_000_000), next: Date?.none, looks: 0))

    private var now: Date {
      state.withLock { state in
        if let next = state.next {
          state.looks -= 1
          if state.looks < 0 { (state.now, state.next) = (next, nil) }
        }
        return state.now
      }
    }

    /// Returns one time for a number of readings, and then a later one.
    func show(_ time: Date, _ looks: Int, then next: Date) {
      state.withLock { $0 = (time, next, looks) }
    }

    var dependencies: ClientDependencies {
      ClientDependencies(
        now: { self.now },
        wait: { duration in
          try await yields(while: duration >= .seconds(1))
        }, chance: { 0.5 }, makeName: { UUID().uuidString })
    }
  }

  @Test(arguments: 0..<5) func `A task that becomes due between two checks runs`(looks: Int)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let (cloud, clock) = (try await TestCloud(), MovingClock())
      let device = try await Device(
        cloud.signIn("ada"), in: folder, isAutomatic: true, dependencies: clock.dependencies)
      // The device listens already, so the injected fault hits the export.
      try await yields(while: !device.container.syncState.isSettled)
      device.network.inject(.unavailable(retryAfterSeconds: 600))
      try await device.add("Person", ["name": "Ada"])
      try await yields(while: device.container.syncState.nextTry == nil)
      let date = try #require(device.container.syncState.nextTry)
      clock.show(date.addingTimeInterval(-0.1), looks, then: date.addingTimeInterval(0.1))
      device.engine.note(.timer)
      try await yields(while: !device.container.syncState.isUpToDate)
      try device.close()
    }
  }
}
