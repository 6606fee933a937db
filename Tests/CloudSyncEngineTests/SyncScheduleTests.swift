import ClientTestSupport
import CloudKitClient
import CloudSyncEngine
import Foundation
import Testing

/// When an automatic engine syncs.
@Suite struct SyncScheduleTests {
  private let start = Date(timeIntervalSince1970: 1_000)

  /// Rounded to milliseconds, because dates are not exact.
  private func seconds(_ schedule: SyncSchedule) -> TimeInterval? {
    schedule.alarm.map { ($0.timeIntervalSince(start) * 1_000).rounded() / 1_000 }
  }

  /// A schedule that has started a fetch.
  private func fetching() -> SyncSchedule {
    var schedule = SyncSchedule()
    schedule.note(.push(nil), at: start)
    #expect(schedule.next(at: start)?.actions == .fetch)
    return schedule
  }

  @Test func `A new engine fetches and sends at once`() {
    var schedule = SyncSchedule()
    #expect(schedule.isIdle && schedule.next(at: start) == nil)
    schedule.note(.start, at: start)
    #expect(schedule.next(at: start)?.actions == [.fetch, .send])
    #expect(!schedule.isIdle && schedule.alarm == nil)
    schedule.end(nil, at: start, chance: 0)
    #expect(schedule.isIdle && schedule.alarm == nil)
  }

  @Test func `Changes are debounced, and a push does not wait for them`() {
    var schedule = SyncSchedule()
    schedule.note(.changesAdded, at: start)
    #expect(seconds(schedule) == 0.1 && schedule.next(at: start) == nil)
    schedule.note(.changesAdded, at: start + 0.05)
    #expect(seconds(schedule) == 0.1)
    schedule.note(.push(nil), at: start + 0.06)
    #expect(
      seconds(schedule) == 0.06 && schedule.next(at: start + 0.06)?.actions == [.fetch, .send])
  }

  @Test func `An alarm that is early waits for the rest`() {
    var schedule = SyncSchedule()
    schedule.note(.changesAdded, at: start)
    #expect(schedule.next(at: start + 0.099) == nil && seconds(schedule) == 0.1)
    #expect(schedule.next(at: start + 0.1)?.actions == .send)
  }

  @Test func `A clock that is set back does not delay what is due`() {
    var schedule = SyncSchedule()
    schedule.note(.changesAdded, at: start)
    #expect(schedule.next(at: start - 3_600)?.actions == .send)
  }

  private static let full = CKError(
    .internalError,
    userInfo: [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))])

  @Test
  func `A machine that cannot store changes retries with a back-off and delays nothing else`() {
    var schedule = SyncSchedule()
    var now = start
    schedule.note(.start, at: now)
    var waits: [Double] = []
    for number in 0..<10 {
      #expect(schedule.next(at: now)?.actions == (number == 0 ? [.fetch, .send] : .fetch))
      schedule.end(Self.full, at: now, chance: 1)
      let date = schedule.alarm ?? now
      waits.append(date.timeIntervalSince(now).rounded())
      now = date
    }
    #expect(waits == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    schedule.note(.push(nil), at: now - 100)
    #expect(schedule.next(at: now - 100)?.actions == .fetch)
    schedule.end(nil, at: now, chance: 1)
    #expect(schedule.isIdle)
    schedule.note(.push(nil), at: start)
    #expect(schedule.next(at: start)?.actions == .fetch)
  }

  @Test func `Other requests do not wait until the machine has space`() {
    var schedule = fetching()
    schedule.note(.changesAdded, at: start)
    schedule.end(Self.full, at: start + 1, chance: 1)
    #expect(schedule.next(at: start + 1)?.actions.contains(.send) == true)
  }

  @Test func `A request during a sync runs after it`() {
    var schedule = fetching()
    schedule.note(.changesAdded, at: start + 1)
    #expect(schedule.alarm == nil && schedule.next(at: start + 2) == nil)
    schedule.end(nil, at: start + 2, chance: 0)
    #expect(schedule.next(at: start + 2)?.actions == .send)
  }

  @Test func `Failures back off, and new changes do not shorten the delay`() {
    var schedule = SyncSchedule()
    var now = start
    schedule.note(.start, at: now)
    var waits: [Double] = []
    for _ in 0..<10 {
      #expect(schedule.next(at: now)?.actions == [.fetch, .send])
      schedule.end(CKError(.networkFailure), at: now, chance: 1)
      let date = schedule.alarm ?? now
      waits.append(date.timeIntervalSince(now).rounded())
      schedule.note(.changesAdded, at: now)
      schedule.note(.push(nil), at: now)
      #expect(schedule.alarm == date && schedule.next(at: now) == nil)
      now = date
    }
    #expect(waits == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    _ = schedule.next(at: now)
    schedule.end(nil, at: now, chance: 1)
    schedule.note(.push(nil), at: now)
    #expect(schedule.alarm == now, "Success resets the back-off.")
  }

  @Test func `A throttled engine never retries early`() {
    var schedule = fetching()
    let limited = CKError(
      .requestRateLimited, userInfo: [CKErrorRetryAfterKey: NSNumber(value: 100)])
    schedule.end(limited, at: start, chance: 0)
    #expect(seconds(schedule) == 100)
    schedule.note(.networkReturned, at: start + 1)
    schedule.note(.push(nil), at: start + 2)
    #expect(schedule.next(at: start + 99) == nil && seconds(schedule) == 100)
    #expect(schedule.next(at: start + 100)?.actions == [.fetch, .send])
  }

  @Test func `A returning network and another account do not wait`() {
    for trigger: SyncSchedule.Trigger in [.networkReturned, .accountChanged] {
      var schedule = fetching()
      schedule.end(CKError(.networkUnavailable), at: start, chance: 1)
      #expect(schedule.next(at: start + 0.5) == nil)
      schedule.note(trigger, at: start + 0.5)
      #expect(schedule.next(at: start + 0.5)?.actions == [.fetch, .send])
    }
  }

  @Test func `Zones that notifications name are fetched without a listing`() {
    let (notes, lists) = (CKRecordZone.ID(zoneName: "Notes"), CKRecordZone.ID(zoneName: "Lists"))
    var schedule = fetching()
    schedule.note(.push(notes), at: start)
    schedule.note(.push(lists), at: start)
    schedule.note(.changesAdded, at: start)
    schedule.end(nil, at: start, chance: 0)
    let sync = SyncSchedule.Sync(actions: [.fetch, .send], changedZones: [notes, lists])
    #expect(schedule.next(at: start) == sync)
    schedule.end(nil, at: start, chance: 0)
    schedule.note(.push(notes), at: start)
    schedule.note(.networkReturned, at: start)
    #expect(schedule.next(at: start) == .init(actions: [.fetch, .send], changedZones: nil))
  }

  @Test func `A failed or cancelled fetch of named zones is followed by a listing`() {
    let notes = CKRecordZone.ID(zoneName: "Notes")
    var schedule = SyncSchedule()
    schedule.note(.push(notes), at: start)
    #expect(schedule.next(at: start)?.changedZones == [notes])
    schedule.end(CKError(.networkFailure), at: start, chance: 1)
    schedule.note(.push(notes), at: start)
    #expect(schedule.next(at: start + 2) == .init(actions: .fetch, changedZones: nil))
    schedule.cancelled()
    schedule.note(.push(notes), at: start + 2)
    #expect(schedule.next(at: start + 2) == .init(actions: .fetch, changedZones: nil))
  }

  @Test func `After a permanent failure, nothing runs until the next trigger`() {
    var schedule = fetching()
    schedule.end(CKError(.permissionFailure), at: start, chance: 0)
    #expect(schedule.isIdle)
    schedule.note(.push(nil), at: start + 1)
    #expect(schedule.next(at: start + 1)?.actions == .fetch)
  }

  @Test func `After a cancelled sync, nothing runs until the next trigger`() {
    var schedule = fetching()
    schedule.cancelled()
    #expect(schedule.isIdle)
    schedule.note(.changesAdded, at: start + 1)
    #expect(schedule.alarm != nil)
  }

  @Test func `The next sync performs the actions of a cancelled one`() {
    var schedule = fetching()
    schedule.cancelled()
    schedule.note(.changesAdded, at: start)
    #expect(schedule.next(at: start + 1)?.actions == [.fetch, .send])
    schedule.end(nil, at: start + 1, chance: 0)
    schedule.note(.changesAdded, at: start + 1)
    #expect(schedule.next(at: start + 2)?.actions == .send)
  }

  @Test func `A failed manual sync is retried`() {
    var schedule = SyncSchedule()
    schedule.retry(.send, after: CKError(.zoneBusy), at: start, chance: 1)
    #expect(seconds(schedule) == 2 && schedule.next(at: start + 2)?.actions == .send)
  }
}

/// Changes of the signed-in user.
@Suite struct AccountDecisionTests {
  @Test func `Accounts change in three ways`() {
    let table: [(String?, String?, String?)] = [
      (nil, nil, nil), ("_a", "_a", nil), (nil, "_a", "signIn _a"), ("_a", nil, "signOut _a"),
      ("_a", "_b", "switch _a to _b"),
    ]
    for (previous, current, change) in table {
      #expect(AccountDecision.change(from: previous, to: current)?.description == change)
    }
  }
}
