internal import CCurl
internal import CloudTransport

/// The transfers that libcurl has, and those that wait for their turn.
///
/// One at a time calls it: the inbox says who.
final class CurlLoop {
  private let multi: CurlMulti
  /// Transfers that libcurl has, by their handles.
  private var running: [CurlHandle.Identifier: CurlTransfer] = [:]
  /// Transfers that wait for their turn, first come first.
  private var waiting: [CurlTransfer] = []
  /// Handles of plain requests that are done, for the next ones.
  private var spare: [CurlHandle] = []

  init(multi: CurlMulti) { self.multi = multi }

  /// Whether there are no transfers.
  var isEmpty: Bool { running.isEmpty && waiting.isEmpty }

  /// Does what was ordered, and moves what can be moved.
  ///
  /// - Returns: Whether the transport is to be closed; then only `endAll` is left to do.
  func move(_ orders: CurlInbox.PendingCommands) -> Bool {
    waiting += orders.added
    if orders.isClosing { return true }
    for ticket in orders.cancelled { cancel(ticket) }
    for ticket in orders.resumed { goOn(ticket) }
    startWaiting()
    multi.perform()
    collectFinished()
    return false
  }

  /// Ends what took too long, and waits until something can be moved or was ordered.
  func wait(atMost limit: Duration) {
    let deadline = endThoseTooLate()
    guard !isEmpty else { return }
    if multi.poll(canStart ? .zero : min(limit, deadline.map { $0 - .now } ?? limit)) { return }
    // Going on would look again and again, and hear of nothing.
    for transfer in Array(running.values) { end(transfer, .deaf) }
  }

  // MARK: - Beginning

  private var canStart: Bool {
    waiting.first.map { running.count < $0.settings.transfersAtOnce } ?? false
  }

  private func startWaiting() {
    while canStart {
      let transfer = waiting.removeFirst()
      guard !transfer.ticket.isCancelled else {
        end(transfer, .cancelled)
        continue
      }
      let handle = transfer.begin(transfer.isPlain ? spare.popLast() : nil)
      running[handle.identifier] = transfer
      multi.add(handle)
    }
  }

  private func goOn(_ ticket: TransferHandle) {
    running.values.first { $0.ticket === ticket }?.goOn()
  }

  // MARK: - Ending

  private enum Reason {
    case cancelled
    case idle
    case tooLong
    case shutdown
    /// The machine does not say when something can be moved.
    case deaf
  }

  private func collectFinished() {
    while let (identifier, code) = multi.nextFinished() {
      guard let transfer = running.removeValue(forKey: identifier) else { continue }
      let outcome = transfer.outcome(code)
      let handle = take(transfer)
      transfer.finish(outcome)
      if let handle, code == CURLE_OK, transfer.isPlain { keep(handle) }
    }
  }

  /// Making a handle and setting its options takes longer than all that is done with them.
  private func keep(_ handle: CurlHandle) {
    if spare.count < Limits.idleConnections { spare.append(handle) }
  }

  private func cancel(_ ticket: TransferHandle) {
    if let index = waiting.firstIndex(where: { $0.ticket === ticket }) {
      end(waiting.remove(at: index), .cancelled)
    } else if let transfer = running.values.first(where: { $0.ticket === ticket }) {
      end(transfer, .cancelled)
    }
  }

  /// Ends what has passed a limit of time, and says when to look again.
  private func endThoseTooLate() -> ContinuousClock.Instant? {
    let now = ContinuousClock.now
    var next: ContinuousClock.Instant?
    var late: [(transfer: CurlTransfer, reason: Reason)] = []
    func look(at transfer: CurlTransfer) {
      let (whole, idle) = (transfer.wholeDeadline, transfer.idleDeadline(at: now))
      if let whole, whole <= now {
        late.append((transfer, .tooLong))
      } else if let idle, idle <= now {
        late.append((transfer, .idle))
      } else {
        if let whole { next = min(next ?? whole, whole) }
        if let idle { next = min(next ?? idle, idle) }
      }
    }
    // It is done between any two looks at the sockets, and makes nothing where nothing is late.
    for transfer in waiting { look(at: transfer) }
    for transfer in running.values { look(at: transfer) }
    guard !late.isEmpty else { return next }
    for (transfer, reason) in late { end(transfer, reason) }
    waiting.removeAll { $0.hasFinished }
    return next
  }

  /// Ends all transfers.
  func endAll() {
    for transfer in waiting + running.values { end(transfer, .shutdown) }
    waiting = []
    spare = []
  }

  private func end(_ transfer: CurlTransfer, _ reason: Reason) {
    let fault =
      switch reason {
      case .cancelled: transfer.fault(.cancelled, "The task was cancelled.")
      case .idle:
        transfer.fault(
          .timedOut, "Nothing came or went for too long (\(transfer.request.idleLimit.text)).")
      case .tooLong:
        transfer.fault(.timedOut, "It was not done in time (\(transfer.request.wholeLimit.text)).")
      case .shutdown: transfer.fault(.cancelled, "The transport was shut down.")
      case .deaf:
        transfer.fault(
          .broken,
          "This machine cannot wait for the network: it lacks memory or descriptors. Ask again.")
      }
    take(transfer)
    transfer.finish(fault)
  }

  /// Takes a transfer from libcurl, which closes what it has open.
  @discardableResult private func take(_ transfer: CurlTransfer) -> CurlHandle? {
    guard let handle = transfer.handle else { return nil }
    running[handle.identifier] = nil
    multi.remove(handle)
    return handle
  }
}

extension Duration? {
  fileprivate var text: String { map { "\($0)" } ?? "" }
}
