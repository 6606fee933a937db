private import CloudTransport
private import Foundation
internal import Synchronization

/// The queue between tasks and the driver of their transfers, which is one caller at a time or a
/// thread.
///
///     idle ──add──▶ running ──close──▶ closing ──▶ closed      (by the thread)
///       └────────────────close────────────────────────▲
///
///                    add                     the caller's wait is over, and work is left
///     running:   none  ─────▶ the caller ──────────────────────▶ the thread
///                 ▲   ▲           │ nothing is left                  │ nothing is left
///                 │   └───────────┘                                  │
///                 └──────────────────────────────────────────────────┘
///
/// - *none*: there are no transfers and no commands.
/// - *the caller*: added a transfer when there was no other. It drives all transfers until its own
///   is done, for a short time at most.
/// - *the thread*: waits for sockets as long as there are transfers.
final class CurlInbox: Sendable {
  /// The commands that the driver has not taken yet.
  struct PendingCommands {
    var added: [CurlTransfer] = []
    var cancelled: [TransferHandle] = []
    /// Transfers whose readers have room again.
    var resumed: [TransferHandle] = []
    var isClosing = false

    var isEmpty: Bool { added.isEmpty && cancelled.isEmpty && resumed.isEmpty && !isClosing }
  }

  private enum Phase {
    case idle
    case running(CurlDriver)
    case closed
  }

  private enum Driver {
    case none
    case caller
    case thread
  }

  private enum Taken {
    /// The transport is closed.
    case no
    /// The system lacks the resources to start.
    case notNow
    /// The current driver will start the transfer.
    case byDriver
    /// The caller becomes the driver.
    case byCaller(CurlDriver, wait: Duration)
  }

  private struct State {
    var phase = Phase.idle
    var driver = Driver.none
    var patience = SpinWaitPolicy()
    var commands = PendingCommands()
    /// Whether cancelled transfers may still be open.
    var hasEndings = false
    var waitersForEnd: [CheckedContinuation<Void, Never>] = []

    /// Adds a command, and wakes the driver unless an earlier command did.
    mutating func enqueue(_ change: (inout PendingCommands) -> Void) {
      guard case .running(let curl) = phase else { return }
      let wakes = commands.isEmpty
      change(&commands)
      if driver == .none {
        driver = .thread
        curl.turn.signal()
      } else if wakes {
        curl.multi.wake()
      }
    }
  }

  private let state = Mutex(State())

  /// Starts a transfer, or ends it if the transport is closed.
  func add(_ transfer: CurlTransfer) {
    switch state.withLock({ take(transfer, &$0) }) {
    case .no:
      transfer.finish(
        transfer.failed(.cancelled, "The transport was shut down. Create another one."))
    case .notNow:
      transfer.finish(
        transfer.failed(
          .broken,
          "This machine has no file descriptors left for connections. Close unneeded files, or raise the limit (ulimit -n)."
        ))
    case .byDriver: break
    case .byCaller(let curl, let wait): drive(curl, for: transfer, wait)
    }
  }

  private func take(_ transfer: CurlTransfer, _ state: inout State) -> Taken {
    if case .idle = state.phase {
      guard let curl = start() else { return .notNow }
      state.phase = .running(curl)
    }
    guard case .running(let curl) = state.phase, !state.commands.isClosing else { return .no }
    guard state.driver == .none else {
      state.enqueue { $0.added.append(transfer) }
      return .byDriver
    }
    state.driver = .caller
    state.commands.added.append(transfer)
    return .byCaller(curl, wait: state.patience.next())
  }

  /// Ends a transfer, even one that is added later.
  func cancel(_ ticket: TransferHandle) {
    ticket.cancel()
    state.withLock { state in
      guard state.driver != .none else { return }
      state.hasEndings = true
      state.enqueue { $0.cancelled.append(ticket) }
    }
  }

  /// Whether cancelled transfers may still be open.
  ///
  /// A transfer that is added now starts after their end.
  var hasEndings: Bool { state.withLock(\.hasEndings) }

  /// Resumes a transfer whose reader had no room.
  func resume(_ ticket: TransferHandle) {
    // Without a driver there is no transfer that could resume.
    state.withLock { state in
      if state.driver != .none { state.enqueue { $0.resumed.append(ticket) } }
    }
  }

  /// Ends everything, and resumes the waiter when nothing is left.
  func close(_ waiter: CheckedContinuation<Void, Never>?) {
    let hasEnded = state.withLock { state in
      if case .running = state.phase {
        state.enqueue { $0.isClosing = true }
        waiter.map { state.waitersForEnd.append($0) }
        return false
      }
      state.phase = .closed
      return true
    }
    if hasEnded { waiter?.resume() }
  }

  /// Removes and returns the commands.
  private func takeCommands() -> PendingCommands {
    state.withLock { state in
      let commands = state.commands
      state.commands = PendingCommands()
      state.commands.isClosing = commands.isClosing
      // The driver has carried out the previous commands. Only these cancellations are left.
      state.hasEndings = !commands.cancelled.isEmpty
      return commands
    }
  }

  // MARK: - A caller

  /// Drives all transfers until the caller's own is done, for a limited time.
  private func drive(_ curl: CurlDriver, for transfer: CurlTransfer, _ wait: Duration) {
    SIGPIPEBlocker.ignored {
      let end = ContinuousClock.now + wait
      var isClosing = curl.loop.move(takeCommands())
      while !isClosing, !transfer.hasFinished, case let rest = end - .now, rest > .zero {
        curl.loop.wait(atMost: rest)
        isClosing = curl.loop.move(takeCommands())
      }
    }
    state.withLock { state in
      if wait > .zero { state.patience.waited(hasAnswer: transfer.hasFinished) }
      guard !leave(curl, &state) else { return }
      state.driver = .thread
      curl.turn.signal()
    }
  }

  /// Stops driving if there are no transfers and no commands, and returns whether it stopped.
  private func leave(_ curl: CurlDriver, _ state: inout State) -> Bool {
    guard curl.loop.isEmpty, state.commands.isEmpty else { return false }
    (state.driver, state.hasEndings) = (.none, false)
    return true
  }

  // MARK: - The thread

  private func start() -> CurlDriver? {
    guard let curl = CurlDriver() else { return nil }
    Thread.detachNewThread { [self] in
      SIGPIPEBlocker.blockAll()
      repeat { curl.turn.wait() } while serve(curl)
      end(curl)
    }
    return curl
  }

  /// Drives all transfers until none is left.
  ///
  /// - Returns: False if the transport closes.
  private func serve(_ curl: CurlDriver) -> Bool {
    while true {
      guard !curl.loop.move(takeCommands()) else { return false }
      if state.withLock({ leave(curl, &$0) }) { return true }
      curl.loop.wait(atMost: Limits.longestWait)
    }
  }

  /// Closes the connections, and resumes the tasks that wait for the end.
  ///
  /// The phase changes before the handle is closed, so that nothing wakes a closed handle.
  private func end(_ curl: CurlDriver) {
    curl.loop.endAll()
    let waiters = state.withLock { state in
      state.phase = .closed
      defer { state.waitersForEnd = [] }
      return state.waitersForEnd
    }
    curl.multi.close()
    for waiter in waiters { waiter.resume() }
  }
}

/// The libcurl state that the current driver uses, a caller or the thread.
// Sendable: only the current driver uses the loop, and the inbox admits one driver at a time.
private final class CurlDriver: @unchecked Sendable {
  let multi: CurlMulti
  let loop: CurlLoop
  /// Signals that the thread takes over.
  let turn = DispatchSemaphore(value: 0)

  init?() {
    guard let multi = CurlMulti() else { return nil }
    self.multi = multi
    loop = CurlLoop(multi: multi)
  }
}
