internal import CCurl
internal import CloudTransport

/// What the thread of the transfers does, for as long as the transport lives.
final class CurlLoop {
  private let inbox: CurlInbox
  private let multi: CurlMulti
  /// Transfers that libcurl has, by their handles.
  private var running: [CurlHandle.Identifier: CurlTransfer] = [:]
  /// Transfers that wait for their turn, first come first.
  private var waiting: [CurlTransfer] = []

  init(inbox: CurlInbox, multi: CurlMulti) {
    self.inbox = inbox
    self.multi = multi
  }

  func run() {
    while true {
      let orders = inbox.take()
      waiting += orders.added
      if orders.isClosing { break }
      for ticket in orders.cancelled { cancel(ticket) }
      for ticket in orders.resumed { goOn(ticket) }
      startWaiting()
      multi.perform()
      collectFinished()
      let deadline = endThoseTooLate()
      multi.poll(canStart ? .zero : min(Limits.longestWait, deadline.map { $0 - .now } ?? Limits.longestWait))
    }
    endAll()
  }

  // MARK: - Beginning

  private var canStart: Bool { waiting.first.map { running.count < $0.settings.transfersAtOnce } ?? false }

  private func startWaiting() {
    while canStart {
      let transfer = waiting.removeFirst()
      guard !transfer.ticket.isCancelled else {
        end(transfer, .cancelled)
        continue
      }
      let handle = transfer.begin()
      running[handle.identifier] = transfer
      multi.add(handle)
    }
  }

  private func goOn(_ ticket: CurlTicket) { running.values.first { $0.ticket === ticket }?.goOn() }

  // MARK: - Ending

  private enum Reason {
    case cancelled
    case idle
    case tooLong
    case shutdown
  }

  private func collectFinished() {
    while let (handle, code) = multi.nextFinished() {
      guard let transfer = running.removeValue(forKey: handle) else { continue }
      let outcome = transfer.outcome(code)
      take(transfer)
      transfer.finish(outcome)
    }
  }

  private func cancel(_ ticket: CurlTicket) {
    if let index = waiting.firstIndex(where: { $0.ticket === ticket }) {
      end(waiting.remove(at: index), .cancelled)
    } else if let transfer = running.values.first(where: { $0.ticket === ticket }) {
      end(transfer, .cancelled)
    }
  }

  /// Ends what has passed a limit of time, and says when to look again.
  private func endThoseTooLate() -> ContinuousClock.Instant? {
    let now = ContinuousClock.now
    for transfer in waiting + running.values {
      if let end = transfer.wholeDeadline, end <= now {
        self.end(transfer, .tooLong)
      } else if let end = transfer.idleDeadline, end <= now {
        self.end(transfer, .idle)
      }
    }
    waiting.removeAll { $0.hasFinished }
    return (waiting + running.values).flatMap { [$0.wholeDeadline, $0.idleDeadline] }.compactMap(\.self).min()
  }

  private func endAll() {
    for transfer in waiting + running.values { end(transfer, .shutdown) }
    waiting = []
  }

  private func end(_ transfer: CurlTransfer, _ reason: Reason) {
    let fault =
      switch reason {
      case .cancelled: transfer.fault(.cancelled, "The task was cancelled.")
      case .idle: transfer.fault(.timedOut, "Nothing came or went for too long (\(transfer.request.idleLimit.text)).")
      case .tooLong: transfer.fault(.timedOut, "It was not done in time (\(transfer.request.wholeLimit.text)).")
      case .shutdown: transfer.fault(.cancelled, "The transport was shut down.")
      }
    take(transfer)
    transfer.finish(fault)
  }

  /// Takes a transfer from libcurl, which closes what it has open.
  private func take(_ transfer: CurlTransfer) {
    guard let handle = transfer.handle else { return }
    running[handle.identifier] = nil
    multi.remove(handle)
  }
}

extension Duration? {
  fileprivate var text: String { map { "\($0)" } ?? "" }
}
