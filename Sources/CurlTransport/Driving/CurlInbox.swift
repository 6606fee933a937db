private import CloudTransport
private import Foundation
internal import Synchronization

/// What tasks leave for whoever moves the bytes of their transfers: for one caller at a time, or
/// for a thread.
///
///     idle ──add──▶ running ──close──▶ closing ──▶ closed      (the thread says when it is)
///       └────────────────close────────────────────────▲
///
///                    add                     its wait is over, and something is left
///     running:  nobody ─────▶ the caller ──────────────────────▶ the thread
///                 ▲   ▲           │ nothing is left                  │ nothing is left
///                 │   └───────────┘                                  │
///                 └──────────────────────────────────────────────────┘
///
/// - *nobody*: there are no transfers, and no orders.
/// - *the caller*: whose transfer was the only one when it came. It moves everything until its own
///   transfer is done, for a short time at most.
/// - *the thread*: which waits for sockets for as long as there are transfers.
final class CurlInbox: Sendable {
  /// What is to be done since somebody looked last.
  struct PendingCommands {
    var added: [CurlTransfer] = []
    var cancelled: [TransferHandle] = []
    /// Whose readers have room again.
    var resumed: [TransferHandle] = []
    var isClosing = false

    var isEmpty: Bool { added.isEmpty && cancelled.isEmpty && resumed.isEmpty && !isClosing }
  }

  private enum Phase {
    case idle
    case running(PendingTransfers)
    case closed
  }

  private enum Driver {
    case nobody
    case caller
    case thread
  }

  private enum Taken {
    /// The transport is closed.
    case no
    /// The machine has nothing left to begin with.
    case notNow
    /// Whoever moves the bytes finds it.
    case byDriver
    /// The caller moves the bytes.
    case byCaller(PendingTransfers, wait: Duration)
  }

  private struct State {
    var phase = Phase.idle
    var driver = Driver.nobody
    var patience = SpinWaitPolicy()
    var orders = PendingCommands()
    /// Transfers were cancelled, and perhaps are not yet closed.
    var hasEndings = false
    var waitersForEnd: [CheckedContinuation<Void, Never>] = []

    /// Adds an order, and wakes whoever moves the bytes where they may not look by themselves.
    mutating func order(_ change: (inout PendingCommands) -> Void) {
      guard case .running(let works) = phase else { return }
      let wakes = orders.isEmpty
      change(&orders)
      if driver == .nobody {
        driver = .thread
        works.turn.signal()
      } else if wakes {
        works.multi.wake()
      }
    }
  }

  private let state = Mutex(State())

  /// Begins a transfer; where the transport is closed, ends it.
  func add(_ transfer: CurlTransfer) {
    switch state.withLock({ take(transfer, &$0) }) {
    case .no:
      transfer.finish(transfer.fault(.cancelled, "The transport was shut down. Make another one."))
    case .notNow:
      transfer.finish(
        transfer.fault(
          .broken,
          "This machine has no file descriptors left for connections. Close what need not be open, or allow the program more (ulimit -n)."
        ))
    case .byDriver: break
    case .byCaller(let works, let wait): drive(works, for: transfer, wait)
    }
  }

  private func take(_ transfer: CurlTransfer, _ state: inout State) -> Taken {
    if case .idle = state.phase {
      guard let works = start() else { return .notNow }
      state.phase = .running(works)
    }
    guard case .running(let works) = state.phase, !state.orders.isClosing else { return .no }
    guard state.driver == .nobody else {
      state.order { $0.added.append(transfer) }
      return .byDriver
    }
    state.driver = .caller
    state.orders.added.append(transfer)
    return .byCaller(works, wait: state.patience.next())
  }

  /// Ends a transfer, whether it is there already or is still to come.
  func cancel(_ ticket: TransferHandle) {
    ticket.cancel()
    state.withLock { state in
      guard state.driver != .nobody else { return }
      state.hasEndings = true
      state.order { $0.cancelled.append(ticket) }
    }
  }

  /// Whether transfers that were cancelled may still be open; what is added here comes after their
  /// end.
  var hasEndings: Bool { state.withLock(\.hasEndings) }

  /// Goes on with a transfer whose reader had no room.
  func goOn(_ ticket: TransferHandle) {
    // Where nobody moves bytes, there is no transfer that could go on.
    state.withLock { state in
      if state.driver != .nobody { state.order { $0.resumed.append(ticket) } }
    }
  }

  /// Ends everything; the waiter is resumed when nothing is left.
  func close(_ waiter: CheckedContinuation<Void, Never>?) {
    let hasEnded = state.withLock { state in
      if case .running = state.phase {
        state.order { $0.isClosing = true }
        waiter.map { state.waitersForEnd.append($0) }
        return false
      }
      state.phase = .closed
      return true
    }
    if hasEnded { waiter?.resume() }
  }

  /// What is to be done.
  private func takeOrders() -> PendingCommands {
    state.withLock { state in
      let orders = state.orders
      state.orders = PendingCommands()
      state.orders.isClosing = orders.isClosing
      // The orders before these have been carried out.
      state.hasEndings = !orders.cancelled.isEmpty
      return orders
    }
  }

  // MARK: - A caller

  /// Moves everything until a transfer is done, for a time.
  private func drive(_ works: PendingTransfers, for transfer: CurlTransfer, _ wait: Duration) {
    SIGPIPEBlocker.ignored {
      let end = ContinuousClock.now + wait
      var isClosing = works.loop.move(takeOrders())
      while !isClosing, !transfer.hasFinished, case let rest = end - .now, rest > .zero {
        works.loop.wait(atMost: rest)
        isClosing = works.loop.move(takeOrders())
      }
    }
    state.withLock { state in
      if wait > .zero { state.patience.waited(hasAnswer: transfer.hasFinished) }
      guard !leave(works, &state) else { return }
      state.driver = .thread
      works.turn.signal()
    }
  }

  /// Leaves the bytes to nobody, where there are none.
  private func leave(_ works: PendingTransfers, _ state: inout State) -> Bool {
    guard works.loop.isEmpty, state.orders.isEmpty else { return false }
    (state.driver, state.hasEndings) = (.nobody, false)
    return true
  }

  // MARK: - The thread

  private func start() -> PendingTransfers? {
    guard let works = PendingTransfers() else { return nil }
    Thread.detachNewThread { [self] in
      SIGPIPEBlocker.blockAll()
      repeat { works.turn.wait() } while serve(works)
      end(works)
    }
    return works
  }

  /// Moves everything until nothing is left.
  ///
  /// - Returns: False at the end of the transport.
  private func serve(_ works: PendingTransfers) -> Bool {
    while true {
      guard !works.loop.move(takeOrders()) else { return false }
      if state.withLock({ leave(works, &$0) }) { return true }
      works.loop.wait(atMost: Limits.longestWait)
    }
  }

  /// Nobody wakes the thread any more; then its connections are closed, and those are told who wait
  /// for that.
  private func end(_ works: PendingTransfers) {
    works.loop.endAll()
    let waiters = state.withLock { state in
      state.phase = .closed
      defer { state.waitersForEnd = [] }
      return state.waitersForEnd
    }
    works.multi.close()
    for waiter in waiters { waiter.resume() }
  }
}

/// What moves the bytes.
// Sendable: whoever has the inbox's leave to drive, which is one at a time, alone uses the loop.
private final class PendingTransfers: @unchecked Sendable {
  let multi: CurlMulti
  let loop: CurlLoop
  /// The thread's turn has come.
  let turn = DispatchSemaphore(value: 0)

  init?() {
    guard let multi = CurlMulti() else { return nil }
    self.multi = multi
    loop = CurlLoop(multi: multi)
  }
}
