import CloudRecords
import Dispatch
import Foundation
import HTTPServer
import RecordServerHTTP
import Synchronization

/// Writes the log on a separate queue, so that a slow reader of the log delays no request.
final class LogWriter: Sendable {
  /// The content of the log.
  enum Content: String {
    /// A line for each request, and errors.
    case requests
    /// Errors, and the requests that failed with them.
    case errors
    case nothing
  }

  /// The maximum number of queued lines; further ones are counted and dropped.
  private static let maximumQueuedLines = 10_000

  private let console: any Console
  private let queue = DispatchQueue(label: "parhelion.log")
  private let state = Mutex((waiting: 0, leftOut: 0))

  init(_ console: any Console) { self.console = console }

  /// Connects a server to this log.
  func attach(to configuration: inout CloudServer.Configuration, _ content: Content) {
    guard content != .nothing else { return }
    configuration.service.log = { [self] entry in
      if content == .requests || entry.status >= 500 { write(entry.line) }
    }
    configuration.service.report = { [self] error, request in reportError("\(error)", request) }
    configuration.http.onEvent = { [self] event in
      if let (message, request) = Self.message(of: event) { reportError(message, request) }
    }
  }

  /// Waits until all lines are written.
  func finish() { queue.sync {} }

  /// Writes a notice about the server, whatever the log's content.
  func notice(_ message: String) { write(Self.line(ofNotice: message)) }

  /// Writes an error that no request caused, whatever the log's content.
  func reportError(_ message: String) { reportError(message, nil) }

  private func reportError(_ message: String, _ request: String?) {
    write(ErrorLogEntry(time: Self.now, requestIdentifier: request, message: message).line)
  }

  private static func line(ofNotice message: String) -> String {
    EventLogEntry(time: now, message: message).line
  }

  private static var now: Timestamp {
    Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
  }

  private func write(_ line: String) {
    let fits = state.withLock { state in
      if state.waiting >= Self.maximumQueuedLines {
        state.leftOut += 1
        return false
      }
      state.waiting += 1
      return true
    }
    guard fits else { return }
    queue.async { [self] in
      console.report(line)
      let leftOut = state.withLock { state in
        state.waiting -= 1
        defer { state.leftOut = 0 }
        return state.leftOut
      }
      guard leftOut > 0 else { return }
      console.report(
        Self.line(
          ofNotice: "\(leftOut) log lines were dropped because they were not read fast enough."))
    }
  }

  /// The line for a server event, if any.
  ///
  /// Failed handshakes have none, because every port scanner causes some.
  private static func message(of event: HTTPServerEvent) -> (String, String?)? {
    switch event {
    case .handlerFailed(let request, let error): ("A request failed: \(error)", request.description)
    case .responseFailed(let request, let error):
      ("A response was interrupted: \(error)", request.description)
    case .outOfDescriptors:
      ("The process has no free descriptors; new connections are rejected.", nil)
    // The request log contains rejected requests.
    case .handshakeFailed, .rejected: nil
    }
  }
}
