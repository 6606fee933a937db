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

/// A clock that goes on between two looks at it.
@Suite("A clock that moves", .endsAtAll)
struct MovingClockTests {
  /// Stands still, but for one moment; only what is to be waited for less than a second is ever over.
  private final class MovingClock: Sendable {
    private let state = Mutex((now: Date(timeIntervalSinceReferenceDate: 800_000_000), next: Date?.none, looks: 0))

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
    func show(_ time: Date, _ looks: Int, then next: Date) { state.withLock { $0 = (time, next, looks) } }

    var surroundings: ClientSurroundings {
      ClientSurroundings(
        now: { self.now },
        wait: { duration in
          while duration >= .seconds(1) {
            try Task.checkCancellation()
            await Task.yield()
          }
        }, chance: { 0.5 }, makeName: { UUID().uuidString })
    }
  }

  @Test(arguments: 0..<5) func `What becomes due between two looks is done`(looks: Int) async throws {
    try await withTemporaryDirectory { folder in
      let (cloud, clock) = (try await TestCloud(), MovingClock())
      let device = try await Device(
        cloud.signIn("ada"), in: folder, isAutomatic: true, surroundings: clock.surroundings)
      while !device.container.syncState.isUpToDate { await Task.yield() }
      device.network.inject(.unavailable(retryAfterSeconds: 600))
      try await device.add("Person", ["name": "Ada"])
      var until: Date?
      while until == nil {
        if case .waiting(let date)? = device.container.syncState.stores.first?.phase { until = date }
        await Task.yield()
      }
      let date = try #require(until)
      clock.show(date.addingTimeInterval(-0.1), looks, then: date.addingTimeInterval(0.1))
      device.engine.note(.timer)
      // A machine that is busy is slow, and no less right.
      let end = ContinuousClock.now + .seconds(120)
      while !device.container.syncState.isUpToDate, ContinuousClock.now < end { await Task.yield() }
      #expect(device.container.syncState.isUpToDate)
      try device.close()
    }
  }
}
