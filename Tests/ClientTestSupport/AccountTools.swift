package import CloudKitClient
import CloudRecords
package import CloudTransport
package import Foundation
import Synchronization
import Testing

/// A flag that stays set.
package final class Flag: Sendable {
  private let value = Mutex(false)

  package init() {}

  package var isSet: Bool { value.withLock(\.self) }
  package func set() { value.withLock { $0 = true } }
}

// Sendable: the observer is set only by the initializer.
/// Counts the notifications of a container's account changes.
package final class ChangeCounter: @unchecked Sendable {
  private let number = Mutex(0)
  private var observer: (any NSObjectProtocol)?

  package init(_ container: String) {
    observer = NotificationCenter.default.addObserver(
      forName: .CKAccountChanged, object: nil, queue: nil
    ) {
      [weak self] in
      guard $0.userInfo?[ContainerBinding.containerKey] as? String == container else { return }
      self?.number.withLock { $0 += 1 }
    }
  }

  deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }

  /// The number of notifications since the last call.
  package func take() -> Int {
    number.withLock { number in
      defer { number = 0 }
      return number
    }
  }
}

/// A transport whose responses a closure returns.
package struct ScriptedTransport: CloudTransport {
  package let answer: @Sendable (TransportRequest) throws(TransportError) -> TransportResponse

  package init(
    answer: @escaping @Sendable (TransportRequest) throws(TransportError) -> TransportResponse
  ) {
    self.answer = answer
  }

  package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    try answer(request)
  }

  package func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse { throw TransportError(.offline, "no files") }

  package func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    throw TransportError(.offline, "no streams")
  }
}

extension TransportRequest {
  /// A query parameter of the URL.
  package func parameter(_ name: String) -> String? {
    URLComponents(string: address)?.queryItems?.first { $0.name == name }?.value
  }
}

extension TransportResponse {
  /// The answer to `users/caller`.
  package static func caller(_ name: String, renewed: String? = nil) -> TransportResponse {
    TransportResponse(
      status: 200, headers: renewed.map { [("X-Apple-CloudKit-Web-Auth-Token", $0)] } ?? [],
      body: Array(#"{"users":[{"userRecordName":"\#(name)"}]}"#.utf8))
  }

  package static func error(_ status: Int, _ code: String) -> TransportResponse {
    TransportResponse(
      status: status, body: Array(#"{"serverErrorCode":"\#(code)","reason":"Because."}"#.utf8))
  }
}

/// A clock that stands still until it is moved, with waits that last until the test ends them.
package final class PausedClock: Sendable {
  private let state = Mutex(State())

  private struct State {
    var now = Date(timeIntervalSince1970: 1_700_000_000)
    var waits: [(Duration, CheckedContinuation<Void, Never>)] = []
  }

  package init() {}

  package func pass(_ seconds: Double) { state.withLock { $0.now += seconds } }

  /// The durations of the waits that are running.
  package var waits: [Duration] { state.withLock { $0.waits.map(\.0) } }

  /// Ends all waits.
  package func endWaits() {
    let waits = state.withLock { state in
      defer { state.waits = [] }
      return state.waits
    }
    for wait in waits { wait.1.resume() }
  }

  package var dependencies: ClientDependencies {
    ClientDependencies(
      now: { self.state.withLock(\.now) },
      wait: { wait in
        await withCheckedContinuation { continuation in
          self.state.withLock { $0.waits.append((wait, continuation)) }
        }
      }, chance: { 0.5 }, makeName: { UUID().uuidString })
  }
}

/// The URL of a valid text.
package func webAddress(_ text: String) -> URL {
  guard let url = URL(string: text) else { preconditionFailure("“\(text)” is not a URL.") }
  return url
}
