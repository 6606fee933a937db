import CloudRecords
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Memory limits of requests", .endsAtAll)
struct MemoryBudgetTests {
  private static let (ada, bob) = (MemoryBudget.Holder.user("ada"), MemoryBudget.Holder.user("bob"))
  private static let home = MemoryBudget.Holder.network("10.0.0.1")

  private func budget(total: Int = 100, perUser: Int = 40, perNetwork: Int = 60) -> MemoryBudget {
    var limits = MemoryLimits()
    (limits.total, limits.perUser, limits.perNetwork) = (total, perUser, perNetwork)
    return MemoryBudget(limits)
  }

  private func isThrottled(_ body: () throws -> Void) -> Bool {
    do { try body() } catch { return (error as? CloudError)?.code == .throttled }
    return false
  }

  /// Starts a task that waits for memory, and returns when it waits.
  private func waiting(
    _ budget: MemoryBudget, _ bytes: Int, _ holder: MemoryBudget.Holder
  ) async throws -> Task<MemoryLease, any Error> {
    let count = budget.waiterCount
    let task = Task { try await budget.reserve(bytes, for: [holder]) }
    try await yields(while: budget.waiterCount == count)
    return task
  }

  @Test
  func `A user, a network and all together have separate limits, and a lease frees its share`()
    throws
  {
    let budget = budget()
    var lease: MemoryLease? = budget.lease(for: [Self.home, Self.ada])
    try lease?.grow(by: 40)
    #expect(isThrottled { try lease?.grow(by: 1) })
    let other = budget.lease(for: [Self.home, Self.bob])
    #expect(isThrottled { try other.grow(by: 21) }, "the network has 60")
    try other.grow(by: 20)
    let elsewhere = budget.lease(for: [.network("10.0.0.2")])
    #expect(isThrottled { try elsewhere.grow(by: 41) }, "all have 100")
    try elsewhere.grow(by: 40)
    #expect(budget.held == 100)
    lease = nil
    #expect(budget.held == 60)
    try other.grow(by: 20)
    other.resize(to: 1)
    #expect(budget.held == 41)
  }

  @Test
  func `Reservations wait in order, but one above its user's limit delays no other user`()
    async throws
  {
    let budget = budget()
    let adas = try await budget.reserve(40, for: [Self.ada])
    let hers = try await waiting(budget, 10, Self.ada)
    // Another user does not wait for Ada.
    let bobs = try await budget.reserve(40, for: [Self.bob])
    let last = try await waiting(budget, 30, .user("eve"))
    bobs.resize(to: 30)
    let eves = try await last.value
    #expect(budget.held == 100 && budget.waiterCount == 1)
    adas.resize(to: 30)
    let more = try await hers.value
    #expect(budget.held == 100 && budget.waiterCount == 0)
    withExtendedLifetime((adas, bobs, eves, more)) {}
  }

  @Test func `A reservation above a limit is reduced to it, so one request always continues`()
    async throws
  {
    let budget = budget()
    let lease = try await budget.reserve(1_000, for: [Self.ada])
    #expect(budget.held == 40)
    lease.resize(to: 50)
    #expect(budget.held == 50, "an existing answer is counted at any length")
  }

  @Test
  func `A waiting request is rejected after two rounds, and a cancelled one leaves the queue`()
    async throws
  {
    let budget = budget()
    let lease = try await budget.reserve(40, for: [Self.ada])
    let (refused, cancelled) = (
      try await waiting(budget, 40, Self.ada), try await waiting(budget, 40, Self.ada)
    )
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(budget.waiterCount == 1)
    budget.endRound()
    #expect(budget.waiterCount == 1, "it has waited for a part of a round")
    budget.endRound()
    let error = await #expect(throws: CloudError.self) { try await refused.value }
    #expect(error?.code == .throttled && error?.retryAfterSeconds != nil)
    withExtendedLifetime(lease) {}
  }

  @Test(arguments: [false, true])
  func `A request continues when the larger one before it ends`(isCancelled: Bool) async throws {
    let budget = budget()
    let adas = try await budget.reserve(40, for: [Self.ada])
    let bobs = try await budget.reserve(40, for: [Self.bob])
    let last = try await budget.reserve(20, for: [Self.home])
    let large = try await waiting(budget, 30, .user("eve"))
    budget.endRound()
    let small = try await waiting(budget, 20, .user("kay"))
    last.resize(to: 0)
    #expect(budget.waiterCount == 2, "the larger one comes first, and does not fit")
    if isCancelled { large.cancel() } else { budget.endRound() }
    await #expect(throws: (any Error).self) { try await large.value }
    let lease = try await small.value
    #expect(budget.held == 100 && budget.waiterCount == 0)
    withExtendedLifetime((adas, bobs, last, lease)) {}
  }

  @Test
  func `Memory is short from a rejection for lack of it until a quarter is free`() throws {
    let budget = budget()
    let (adas, bobs) = (budget.lease(for: [Self.ada]), budget.lease(for: [Self.bob]))
    let rest = budget.lease(for: [Self.home])
    try adas.grow(by: 40)
    #expect(isThrottled { try adas.grow(by: 1) })
    #expect(!adas.isShort, "only Ada has none left")
    try bobs.grow(by: 40)
    try rest.grow(by: 20)
    #expect(!adas.isShort, "no other request needs any")
    #expect(isThrottled { try rest.grow(by: 1) })
    #expect(adas.isShort)
    #expect(bobs.isShort)
    bobs.resize(to: 16)
    #expect(adas.isShort, "24 are free")
    bobs.resize(to: 15)
    #expect(!adas.isShort)
    withExtendedLifetime(rest) {}
  }

  @Test
  func `A rejected reservation makes memory short, unless it exceeds its user's limit`()
    async throws
  {
    let budget = budget()
    let adas = try await budget.reserve(40, for: [Self.ada])
    let bobs = try await budget.reserve(40, for: [Self.bob])
    let hers = try await waiting(budget, 10, Self.ada)
    for _ in 1...2 { budget.endRound() }
    await #expect(throws: CloudError.self) { try await hers.value }
    #expect(!adas.isShort)
    let eves = try await waiting(budget, 30, .user("eve"))
    budget.endRound()
    #expect(!adas.isShort, "it still waits")
    budget.endRound()
    await #expect(throws: CloudError.self) { try await eves.value }
    #expect(adas.isShort)
    withExtendedLifetime((adas, bobs)) {}
  }

  @Test func `One user's waiting requests do not take another user's places`() async throws {
    let budget = budget()
    let lease = try await budget.reserve(60, for: [.network("10.0.0.2")])
    let rest = try await budget.reserve(40, for: [Self.bob])
    var waiters: [Task<MemoryLease, any Error>] = []
    for _ in 0..<MemoryBudget.maximumWaitersPerHolder {
      waiters.append(try await waiting(budget, 40, Self.ada))
    }
    let isRefused = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        do { _ = try await budget.reserve(40, for: [Self.ada]) } catch {
          return (error as? CloudError)?.code == .throttled
        }
        return false
      }
      group.addTask {
        while budget.waiterCount == MemoryBudget.maximumWaitersPerHolder, !Task.isCancelled {
          await Task.yield()
        }
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    #expect(isRefused)
    waiters.append(try await waiting(budget, 40, .user("eve")))
    for waiter in waiters { waiter.cancel() }
    for waiter in waiters {
      await #expect(throws: CancellationError.self) { try await waiter.value }
    }
    withExtendedLifetime((lease, rest)) {}
  }
}
