import ClientTestSupport
import CloudKitClient
import Foundation
import Testing

/// The schedule of an automatic engine.
@Suite struct SyncScheduleTests {
  private let start = Date(timeIntervalSince1970: 1_000)

  /// Rounded to milliseconds, because dates are not exact.
  private func seconds(_ alarm: SyncSchedule.DateTimer?) -> TimeInterval? {
    alarm.map { ($0.date.timeIntervalSince(start) * 1_000).rounded() / 1_000 }
  }

  @Test func `A new engine fetches and sends at once`() {
    var schedule = SyncSchedule()
    let alarm = schedule.note(.start, at: start)
    #expect(seconds(alarm) == 0)
    #expect(schedule.fire(alarm?.ticket ?? 0) == [.fetch, .send])
    #expect(schedule.end(nil, at: start, chance: 0) == nil)
  }

  @Test func `Changes are debounced, and a push does not wait for them`() {
    var schedule = SyncSchedule()
    let first = schedule.note(.changesAdded, at: start)
    #expect(seconds(first) == 0.1)
    #expect(schedule.note(.changesAdded, at: start + 0.05) == nil)
    let push = schedule.note(.push, at: start + 0.06)
    #expect(seconds(push) == 0.06)
    #expect(
      schedule.fire(first?.ticket ?? 0) == nil, "The first alarm counts for nothing any more.")
    #expect(schedule.fire(push?.ticket ?? 0) == [.fetch, .send])
  }

  private static let full = CKError(
    .internalError,
    userInfo: [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))])

  @Test
  func `A machine that cannot store changes retries with a back-off and delays nothing else`() {
    var schedule = SyncSchedule()
    var now = start
    var alarm = schedule.note(.start, at: now)
    var waits: [Double] = []
    for number in 0..<10 {
      #expect(schedule.fire(alarm?.ticket ?? 0) == (number == 0 ? [.fetch, .send] : .fetch))
      alarm = schedule.end(Self.full, at: now, chance: 1)
      let date = alarm?.date ?? now
      waits.append(date.timeIntervalSince(now).rounded())
      now = date
    }
    #expect(waits == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    let sooner = schedule.note(.push, at: now - 100)
    #expect(sooner?.date == now - 100 && schedule.fire(sooner?.ticket ?? 0) == .fetch)
    #expect(schedule.end(nil, at: now, chance: 1) == nil)
    #expect(seconds(schedule.note(.push, at: start)) == 0)
  }

  @Test func `Other requests do not wait until the machine has space`() {
    var schedule = SyncSchedule()
    let alarm = schedule.note(.push, at: start)
    #expect(schedule.fire(alarm?.ticket ?? 0) == .fetch)
    #expect(schedule.note(.changesAdded, at: start) == nil)
    let next = schedule.end(Self.full, at: start, chance: 1)
    #expect(seconds(next) == 0 && schedule.fire(next?.ticket ?? 0)?.contains(.send) == true)
  }

  @Test func `A request during a sync runs after it`() {
    var schedule = SyncSchedule()
    let alarm = schedule.note(.push, at: start)
    #expect(schedule.fire(alarm?.ticket ?? 0) == .fetch)
    #expect(schedule.note(.changesAdded, at: start + 1) == nil)
    let next = schedule.end(nil, at: start + 2, chance: 0)
    #expect(seconds(next) == 2 && schedule.fire(next?.ticket ?? 0) == .send)
  }

  @Test func `Failures back off, and new changes do not shorten the delay`() {
    var schedule = SyncSchedule()
    var now = start
    var alarm = schedule.note(.start, at: now)
    var waits: [Double] = []
    for _ in 0..<10 {
      #expect(schedule.fire(alarm?.ticket ?? 0) == [.fetch, .send])
      alarm = schedule.end(CKError(.networkFailure), at: now, chance: 1)
      let date = alarm?.date ?? now
      waits.append(date.timeIntervalSince(now).rounded())
      #expect(schedule.note(.changesAdded, at: now) == nil && schedule.note(.push, at: now) == nil)
      now = date
    }
    #expect(waits == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    _ = schedule.fire(alarm?.ticket ?? 0)
    #expect(schedule.end(nil, at: now, chance: 1) == nil)
    #expect(schedule.note(.push, at: now)?.date == now, "Success resets the back-off.")
  }

  @Test func `A throttled engine never retries early`() {
    var schedule = SyncSchedule()
    let alarm = schedule.note(.start, at: start)
    _ = schedule.fire(alarm?.ticket ?? 0)
    let limited = CKError(
      .requestRateLimited, userInfo: [CKErrorRetryAfterKey: NSNumber(value: 100)])
    let later = schedule.end(limited, at: start, chance: 0)
    #expect(seconds(later) == 100)
    #expect(
      schedule.note(.networkReturned, at: start + 1) == nil
        && schedule.note(.push, at: start + 2) == nil)
    #expect(schedule.fire(later?.ticket ?? 0) == [.fetch, .send])
  }

  @Test func `A returning network and another account do not wait`() {
    for trigger: SyncSchedule.Trigger in [.networkReturned, .accountChanged] {
      var schedule = SyncSchedule()
      let alarm = schedule.note(.push, at: start)
      _ = schedule.fire(alarm?.ticket ?? 0)
      #expect(schedule.end(CKError(.networkUnavailable), at: start, chance: 1) != nil)
      let next = schedule.note(trigger, at: start + 0.5)
      #expect(seconds(next) == 0.5 && schedule.fire(next?.ticket ?? 0) == [.fetch, .send])
    }
  }

  @Test func `A permanent failure waits for a reason`() {
    var schedule = SyncSchedule()
    let alarm = schedule.note(.push, at: start)
    _ = schedule.fire(alarm?.ticket ?? 0)
    #expect(schedule.end(CKError(.permissionFailure), at: start, chance: 0) == nil)
    #expect(schedule.note(.push, at: start + 1)?.date == start + 1)
  }

  @Test func `A cancelled sync waits for a reason`() {
    var schedule = SyncSchedule()
    let alarm = schedule.note(.push, at: start)
    _ = schedule.fire(alarm?.ticket ?? 0)
    #expect(schedule.cancelled(at: start) == nil)
    #expect(schedule.note(.changesAdded, at: start + 1) != nil)
  }

  @Test func `A failed manual sync is retried`() {
    var schedule = SyncSchedule()
    let alarm = schedule.retry(.send, after: CKError(.zoneBusy), at: start, chance: 1)
    #expect(seconds(alarm) == 2 && schedule.fire(alarm?.ticket ?? 0) == .send)
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
