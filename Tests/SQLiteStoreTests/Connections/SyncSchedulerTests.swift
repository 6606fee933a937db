import SQLiteStore
import Testing

@Suite struct `Sync scheduling` {
  @Test func `A durability request waits for a running save or syncs`() {
    var scheduler = SyncScheduler()
    #expect(scheduler.action(for: scheduler.written) == .done)
    scheduler.recordCommit()
    #expect(scheduler.action(for: 1) == .sync)
    scheduler.beginSave()
    scheduler.beginSave()
    #expect(scheduler.action(for: 1) == .wait)
    // The first save failed, and the second one commits.
    scheduler.endSave()
    #expect(scheduler.action(for: 1) == .wait)
    scheduler.recordSync(scheduler.written)
    #expect(scheduler.action(for: 1) == .done)
    scheduler.endSave()
    #expect(scheduler.action(for: 1) == .done)
  }

  @Test func `A failed save leaves the sync to the waiting request`() {
    var scheduler = SyncScheduler()
    scheduler.recordCommit()
    scheduler.beginSave()
    scheduler.endSave()
    #expect(scheduler.action(for: 1) == .sync)
  }

  @Test func `A sync covers earlier writes only`() {
    var scheduler = SyncScheduler()
    scheduler.recordCommit()
    let count = scheduler.written
    scheduler.recordCommit()
    scheduler.recordSync(count)
    #expect(scheduler.action(for: count) == .done)
    #expect(scheduler.action(for: scheduler.written) == .sync)
    scheduler.recordSync(scheduler.written)
    scheduler.recordSync(count)
    #expect(scheduler.action(for: scheduler.written) == .done)
  }
}
