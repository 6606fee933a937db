private import CloudTransport
private import Foundation
internal import Synchronization

/// What tasks leave for the thread of the transfers.
///
///     idle ──add──▶ running ──close──▶ closing ──▶ closed      (the loop says when it is)
///       └────────────────close────────────────────────▲
final class CurlInbox: Sendable {
  /// What is to be done since the thread looked last.
  struct Orders {
    var added: [CurlTransfer] = []
    var cancelled: [CurlTicket] = []
    /// Whose readers have room again.
    var resumed: [CurlTicket] = []
    var isClosing = false

    var isEmpty: Bool { added.isEmpty && cancelled.isEmpty && resumed.isEmpty && !isClosing }
  }

  private enum Phase {
    case idle
    case running(CurlMulti)
    case closed
  }

  private struct State {
    var phase = Phase.idle
    var orders = Orders()
    var waitersForEnd: [CheckedContinuation<Void, Never>] = []

    /// Adds an order, and wakes the thread where it may not look by itself.
    mutating func order(_ change: (inout Orders) -> Void) {
      guard case .running(let multi) = phase else { return }
      let wakes = orders.isEmpty
      change(&orders)
      if wakes { multi.wake() }
    }
  }

  private let state = Mutex(State())

  /// Begins a transfer; where the transport is closed, ends it.
  func add(_ transfer: CurlTransfer) {
    let isTaken = state.withLock { state in
      if case .idle = state.phase { state.phase = .running(start()) }
      if case .closed = state.phase { return false }
      if state.orders.isClosing { return false }
      state.order { $0.added.append(transfer) }
      return true
    }
    if !isTaken { transfer.finish(transfer.fault(.cancelled, "The transport was shut down. Make another one.")) }
  }

  /// Ends a transfer, whether it is there already or is still to come.
  func cancel(_ ticket: CurlTicket) {
    ticket.cancel()
    state.withLock { $0.order { $0.cancelled.append(ticket) } }
  }

  /// Goes on with a transfer whose reader had no room.
  func goOn(_ ticket: CurlTicket) {
    state.withLock { $0.order { $0.resumed.append(ticket) } }
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

  // MARK: - The thread

  /// What is to be done.
  func take() -> Orders {
    state.withLock { state in
      let orders = state.orders
      state.orders = Orders()
      state.orders.isClosing = orders.isClosing
      return orders
    }
  }

  /// Nobody wakes the thread any more; then its connections are closed, and those are told who wait for that.
  private func end(_ multi: CurlMulti) {
    let waiters = state.withLock { state in
      state.phase = .closed
      defer { state.waitersForEnd = [] }
      return state.waitersForEnd
    }
    multi.close()
    for waiter in waiters { waiter.resume() }
  }

  private func start() -> CurlMulti {
    let multi = CurlMulti()
    Thread.detachNewThread { [self] in
      Self.blockSignals()
      CurlLoop(inbox: self, multi: multi).run()
      end(multi)
    }
    return multi
  }

  /// Signals are the program's; one of them comes from sockets whose other side has gone, and would end the program.
  private static func blockSignals() {
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
