import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import Synchronization
import TestSupport
import Testing

extension NSPersistentCloudKitContainer.SyncState {
  /// Whether nothing is left to be done, and the server is listened to.
  fileprivate var isSettled: Bool { isUpToDate && stores.allSatisfy(\.isListening) }

  /// When a store that waits tries again.
  fileprivate var nextTry: Date? {
    guard case .waiting(let date)? = stores.first?.phase else { return nil }
    return date
  }
}

/// A clock that goes on between two looks at it.
@Suite("A moving clock", .endsAtAll)
struct MovingClockTests {
  /// Stands still, but for one moment; only what is to be waited for less than a second is ever
  /// over.
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

    /// Shows one time so many times, and then a later one.
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
      // It listens by then, so that the fault meets what sends.
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
