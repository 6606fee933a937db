package import CloudRecords
internal import HTTPServer
internal import Synchronization

/// Counts the bytes that requests hold in memory, in total and for each user and network.
///
/// ```
///   lease ──grow──▶ counted, or THROTTLED            a body, piece by piece as it arrives
///   reserve ──▶ counted ──resize──▶ counted          an answer, before it is computed
///      └──▶ waiting ──memory freed──▶ counted
///              ├── cancelled ──▶ CancellationError
///              └── two rounds without free memory ──▶ THROTTLED
/// ```
///
/// The bytes of a lease are released with its last reference. After a request was rejected because
/// the total was used up, memory is short until a quarter is free. Meanwhile the HTTP server ends
/// slow bodies and disconnects slow readers.
package final class MemoryBudget: Sendable {
  /// A user or a network with its own limit.
  package enum Holder: Hashable, Sendable {
    case user(String)
    case network(String)
  }

  private struct Waiter {
    var number: UInt64
    var bytes: Int
    var holders: [Holder]
    var continuation: CheckedContinuation<Outcome, Never>
  }

  private enum Outcome: Sendable {
    case admitted
    case refused
    case cancelled
  }

  private struct State {
    var total = 0
    /// Whether a request was rejected since a quarter of the total was last free.
    var isShort = false
    var held: [Holder: Int] = [:]
    /// The waiting requests, in order of arrival.
    var waiters: [Waiter] = []
    var lastWaiter: UInt64 = 0
    /// The last waiter at the end of the previous round.
    var lastOfRound: UInt64 = 0
    /// Waiters that were cancelled before they were enqueued.
    var cancelled: Set<UInt64> = []
  }

  private let limits: MemoryLimits
  private let state = Mutex(State())

  /// The maximum number of requests that wait for memory.
  ///
  /// Further ones are rejected at once.
  static let maximumWaiters = 1_024
  /// The maximum number of waiting requests of one user.
  ///
  /// Requests without a user count for their network.
  package static let maximumWaitersPerHolder = 128

  package init(_ limits: MemoryLimits) { self.limits = limits }

  /// The number of counted bytes.
  package var held: Int { state.withLock(\.total) }
  /// Whether other requests need the memory of slow clients.
  fileprivate var isShort: Bool { state.withLock(\.isShort) }
  /// The number of requests that wait for memory.
  package var waiterCount: Int { state.withLock(\.waiters.count) }

  /// Creates an empty lease, which grows with the arriving bytes.
  package func lease(for holders: [Holder]) -> MemoryLease {
    MemoryLease(self, holders: holders, bytes: 0)
  }

  /// Waits for the memory of an answer.
  ///
  /// - Parameter bytes: The maximum size of the answer, capped by the limits.
  /// - Throws: `THROTTLED` after two rounds without free memory, or if too many requests wait;
  ///   `CancellationError`.
  package func reserve(_ bytes: Int, for holders: [Holder]) async throws -> MemoryLease {
    let bytes = min(bytes, limits.total, holders.map(limit(of:)).min() ?? limits.total)
    let number = state.withLock { state -> UInt64? in
      if take(bytes, holders, in: &state) { return nil }
      state.lastWaiter += 1
      return state.lastWaiter
    }
    if let number {
      switch await wait(number, bytes, holders) {
      case .admitted: break
      case .refused: throw Self.throttled
      case .cancelled: throw CancellationError()
      }
    }
    return MemoryLease(self, holders: holders, bytes: bytes)
  }

  /// Rejects the requests that have waited for a whole round, and admits later ones that fit.
  ///
  /// A rejected request has waited for one to two rounds.
  package func endRound() {
    let (refused, admitted) = state.withLock { state in
      let last = state.lastOfRound
      state.lastOfRound = state.lastWaiter
      let refused = state.waiters.filter { $0.number <= last }
      state.waiters.removeAll { $0.number <= last }
      if refused.contains(where: { !hasRoom(for: $0.bytes, state) }) { state.isShort = true }
      return (refused, takeWaiters(from: &state))
    }
    for waiter in refused { waiter.continuation.resume(returning: .refused) }
    for waiter in admitted { waiter.continuation.resume(returning: .admitted) }
  }

  static let throttled = CloudError(
    .throttled,
    "Your requests and answers have reached the server's memory limit. Wait, and request less at once.",
    retryAfterSeconds: 5)
}

// MARK: - Waiting

extension MemoryBudget {
  private func wait(_ number: UInt64, _ bytes: Int, _ holders: [Holder]) async -> Outcome {
    let ending = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        begin(Waiter(number: number, bytes: bytes, holders: holders, continuation: continuation))
      }
    } onCancel: {
      cancel(number)
    }
    _ = state.withLock { $0.cancelled.remove(number) }
    return ending
  }

  private func begin(_ waiter: Waiter) {
    let ending = state.withLock { state -> Outcome? in
      if state.cancelled.contains(waiter.number) { return .cancelled }
      // Memory may have been freed since the first attempt.
      if take(waiter.bytes, waiter.holders, in: &state) { return .admitted }
      guard state.waiters.count < Self.maximumWaiters,
        state.waiters.count(where: { $0.holders.last == waiter.holders.last })
          < Self.maximumWaitersPerHolder
      else { return .refused }
      state.waiters.append(waiter)
      return nil
    }
    if let ending { waiter.continuation.resume(returning: ending) }
  }

  private func cancel(_ number: UInt64) {
    let (cancelled, admitted) = state.withLock { state -> (Waiter?, [Waiter]) in
      guard let place = state.waiters.firstIndex(where: { $0.number == number }) else {
        state.cancelled.insert(number)
        return (nil, [])
      }
      return (state.waiters.remove(at: place), takeWaiters(from: &state))
    }
    cancelled?.continuation.resume(returning: .cancelled)
    for waiter in admitted { waiter.continuation.resume(returning: .admitted) }
  }
}

// MARK: - Counting

extension MemoryBudget {
  /// Counts more bytes of a lease.
  ///
  /// Returns false if there is no free memory.
  fileprivate func grow(by bytes: Int, _ holders: [Holder]) -> Bool {
    state.withLock { state in
      if take(bytes, holders, in: &state) { return true }
      if !hasRoom(for: bytes, state) { state.isShort = true }
      return false
    }
  }

  /// Counts more or fewer bytes of a lease, and admits the waiters that fit now.
  fileprivate func change(by bytes: Int, _ holders: [Holder]) {
    let admitted = state.withLock { state -> [Waiter] in
      add(bytes, holders, in: &state)
      return bytes < 0 ? takeWaiters(from: &state) : []
    }
    for waiter in admitted { waiter.continuation.resume(returning: .admitted) }
  }

  /// Removes and returns the waiters that fit, in order.
  ///
  /// A waiter that exceeds the limit of its user or network is skipped. A waiter that exceeds the
  /// server's limit also stops all later ones.
  private func takeWaiters(from state: inout State) -> [Waiter] {
    var (admitted, rest): ([Waiter], [Waiter]) = ([], [])
    for (place, waiter) in state.waiters.enumerated() {
      guard hasRoom(for: waiter.bytes, state) else {
        rest += state.waiters[place...]
        break
      }
      if take(waiter.bytes, waiter.holders, in: &state) {
        admitted.append(waiter)
      } else {
        rest.append(waiter)
      }
    }
    if !admitted.isEmpty { state.waiters = rest }
    return admitted
  }

  private func take(_ bytes: Int, _ holders: [Holder], in state: inout State) -> Bool {
    guard fits(bytes, holders, state) else { return false }
    add(bytes, holders, in: &state)
    return true
  }

  private func fits(_ bytes: Int, _ holders: [Holder], _ state: State) -> Bool {
    hasRoom(for: bytes, state)
      && holders.allSatisfy { state.held[$0, default: 0] + bytes <= limit(of: $0) }
  }

  /// Whether bytes fit into the total, regardless of the limits of their user and network.
  private func hasRoom(for bytes: Int, _ state: State) -> Bool {
    state.total + bytes <= limits.total
  }

  private func add(_ bytes: Int, _ holders: [Holder], in state: inout State) {
    state.total += bytes
    if state.total <= limits.total / 4 * 3 { state.isShort = false }
    for holder in holders {
      let count = state.held[holder, default: 0] + bytes
      state.held[holder] = count == 0 ? nil : count
    }
  }

  private func limit(of holder: Holder) -> Int {
    switch holder {
    case .user: limits.perUser
    case .network: limits.perNetwork
    }
  }
}

/// Bytes of a budget that one request holds until the last reference to the lease is released.
package final class MemoryLease: BudgetedMemory {
  private let budget: MemoryBudget
  private let holders: [MemoryBudget.Holder]
  private let bytes: Mutex<Int>

  fileprivate init(_ budget: MemoryBudget, holders: [MemoryBudget.Holder], bytes: Int) {
    self.budget = budget
    self.holders = holders
    self.bytes = Mutex(bytes)
  }

  deinit { resize(to: 0) }

  package var isShort: Bool { budget.isShort }

  /// Counts more bytes.
  ///
  /// - Throws: `THROTTLED` if there is no free memory.
  package func grow(by more: Int) throws(CloudError) {
    guard budget.grow(by: more, holders) else { throw MemoryBudget.throttled }
    bytes.withLock { $0 += more }
  }

  /// Sets the number of counted bytes, even above the limits, because the memory is already in use.
  package func resize(to wanted: Int) {
    let difference = bytes.withLock { bytes in
      defer { bytes = wanted }
      return wanted - bytes
    }
    if difference != 0 { budget.change(by: difference, holders) }
  }
}
