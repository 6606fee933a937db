import SQLiteStore
import Testing

struct DiskTurnsTests {
  @Test func `A durability request waits for a running save or syncs`() {
    var turns = SyncScheduler()
    #expect(turns.action(for: turns.written) == .done)
    turns.recordCommit()
    #expect(turns.action(for: 1) == .sync)
    turns.beginSave()
    turns.beginSave()
    #expect(turns.action(for: 1) == .wait)
    // The first save failed, and the second one commits.
    turns.endSave()
    #expect(turns.action(for: 1) == .wait)
    turns.recordSync(turns.written)
    #expect(turns.action(for: 1) == .done)
    turns.endSave()
    #expect(turns.action(for: 1) == .done)
  }

  @Test func `A failed save leaves the sync to the waiting request`() {
    var turns = SyncScheduler()
    turns.recordCommit()
    turns.beginSave()
    turns.endSave()
    #expect(turns.action(for: 1) == .sync)
  }

  @Test func `A sync covers earlier writes only`() {
    var turns = SyncScheduler()
    turns.recordCommit()
    let count = turns.written
    turns.recordCommit()
    turns.recordSync(count)
    #expect(turns.action(for: count) == .done)
    #expect(turns.action(for: turns.written) == .sync)
    turns.recordSync(turns.written)
    turns.recordSync(count)
    #expect(turns.action(for: turns.written) == .done)
  }
}
