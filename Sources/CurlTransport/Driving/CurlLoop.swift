internal import CCurl
internal import CloudTransport

/// The active transfers of libcurl, and those that wait for a slot.
///
/// The inbox ensures that only one driver calls it at a time.
final class CurlLoop {
  private let multi: CurlMulti
  /// The active transfers by their handles.
  private var running: [CurlHandle.Identifier: CurlTransfer] = [:]
  /// The waiting transfers, in order of arrival.
  private var waiting: [CurlTransfer] = []
  /// Handles of completed plain requests, kept for reuse.
  private var spare: [CurlHandle] = []

  init(multi: CurlMulti) { self.multi = multi }

  /// Whether there are no transfers.
  var isEmpty: Bool { running.isEmpty && waiting.isEmpty }

  /// Carries out commands, and transfers what can be transferred.
  ///
  /// - Returns: Whether the transport closes. If so, only `endAll` remains to be called.
  func move(_ commands: CurlInbox.PendingCommands) -> Bool {
    waiting += commands.added
    if commands.isClosing { return true }
    for ticket in commands.cancelled { cancel(ticket) }
    for ticket in commands.resumed { resume(ticket) }
    startWaiting()
    multi.perform()
    collectFinished()
    return false
  }

  /// Ends transfers that passed a time limit, and waits for sockets or commands.
  func wait(atMost limit: Duration) {
    let deadline = endThoseTooLate()
    guard !isEmpty else { return }
    if multi.poll(canStart ? .zero : min(limit, deadline.map { $0 - .now } ?? limit)) { return }
    // The system cannot wait for sockets, so continuing would be a busy loop.
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

  private func resume(_ ticket: TransferHandle) {
    running.values.first { $0.ticket === ticket }?.resume()
  }

  // MARK: - Ending

  private enum Reason {
    case cancelled
    case idle
    case tooLong
    case shutdown
    /// The system cannot wait for sockets.
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

  /// Keeps a handle, because creating one and setting its options costs more than using it.
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

  /// Ends transfers that passed a time limit, and returns the next deadline.
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
    // This runs between any two polls, so it allocates nothing unless a transfer is late.
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
    let result =
      switch reason {
      case .cancelled: transfer.failed(.cancelled, "The task was cancelled.")
      case .idle:
        transfer.failed(
          .timedOut, "No data was transferred for too long (\(transfer.request.idleLimit.text)).")
      case .tooLong:
        transfer.failed(
          .timedOut, "The request did not complete in time (\(transfer.request.wholeLimit.text)).")
      case .shutdown: transfer.failed(.cancelled, "The transport was shut down.")
      case .deaf:
        transfer.failed(
          .broken,
          "This machine cannot wait for the network: it lacks memory or descriptors. Try again.")
      }
    take(transfer)
    transfer.finish(result)
  }

  /// Removes a transfer from libcurl, which closes the connection of an unfinished transfer.
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
