import CloudRecords
import CloudTransport
package import SyncKernel

/// Decides whether and when a failed request is retried.
///
/// Only temporary failures are retried: broken connections and busy servers. Other errors are
/// reported immediately.
package struct RetryPolicy: Sendable {
  /// The maximum number of attempts.
  package var attempts = 4
  /// The delays between attempts.
  ///
  /// If the server asks for more than the longest delay, the app gets the error with
  /// `CKErrorRetryAfterKey`.
  package var backOff = BackOff(first: .milliseconds(250), longest: .seconds(30))

  /// Whether requests that the server may have performed are retried.
  ///
  /// False if repeating a request could undo what other clients did in between.
  package var repeatsUncertain = true

  package init() {}

  /// The decision after a failure.
  enum Decision: Equatable {
    case giveUp
    case sendAgain(after: Duration)
  }

  /// Decides about a failure.
  ///
  /// - Parameters:
  ///   - attempt: The number of the failed attempt, starting at 1.
  ///   - chance: A random number from 0 to 1, which spreads the retries of many clients.
  func decide(_ failure: Failure, attempt: Int, chance: Double) -> Decision {
    guard attempt < attempts else { return .giveUp }
    let own = backOff.delay(afterFailures: attempt, chance: chance)
    switch failure {
    case .transport(let transportError) where transportError.mayHaveArrived && !repeatsUncertain:
      return .giveUp
    case .transport(let transportError):
      return Self.passes(transportError) ? .sendAgain(after: own) : .giveUp
    case .server(let error) where error.mayHaveArrived && !repeatsUncertain: return .giveUp
    case .server(let error):
      guard Self.passes(error) else { return .giveUp }
      let asked = error.retryAfterSeconds.map {
        BackOff.serverDelay(.seconds($0), chance: chance)
      }
      let wait = max(own, asked ?? own)
      return wait <= backOff.longest ? .sendAgain(after: wait) : .giveUp
    }
  }

  enum Failure {
    case transport(TransportError)
    case server(CloudError)

    /// Whether the server may have performed the request.
    var mayHaveArrived: Bool {
      switch self {
      case .transport(let transportError): transportError.mayHaveArrived
      case .server(let error): error.mayHaveArrived
      }
    }
  }

  private static func passes(_ transportError: TransportError) -> Bool {
    switch transportError.kind {
    case .broken, .timedOut, .refused, .offline: true
    case .untrusted, .malformed, .file, .settings, .cancelled, .address: false
    }
  }

  private static func passes(_ error: CloudError) -> Bool {
    switch error.code {
    case .throttled, .tryAgainLater: true
    default: error.unknownCode == CloudError.zoneBusyCode
    }
  }
}
