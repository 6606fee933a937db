import CloudRecords
import CloudTransport

/// Decides whether a request that failed is sent again, and when.
///
/// Everything that it can be sent again for passes by itself: a network that breaks, a server that
/// is busy. What does not is told at once.
package struct RetryPolicy: Sendable {
  /// How often a request is sent at most.
  package var attempts = 4
  /// The first wait; each further one is twice as long.
  package var firstWait = Duration.milliseconds(250)
  /// Waits that are longer are left to the program, with `CKErrorRetryAfterKey`.
  package var longestWait = Duration.seconds(30)

  /// Whether a request is sent again that the server has perhaps carried out: it is not where doing
  /// it twice could undo what others did in between.
  package var repeatsUncertain = true

  package init() {}

  /// What is to be done about a failure.
  enum Decision: Equatable {
    case giveUp
    case sendAgain(after: Duration)
  }

  /// - Parameters:
  ///   - attempt: Which one failed, from 1.
  ///   - chance: From 0 to 1: spreads the waits of many clients.
  func decide(_ failure: Failure, attempt: Int, chance: Double) -> Decision {
    guard attempt < attempts else { return .giveUp }
    let backOff = firstWait * (1 << min(attempt - 1, 16)) * (0.5 + chance / 2)
    switch failure {
    case .transport(let fault) where fault.mayHaveArrived && !repeatsUncertain: return .giveUp
    case .transport(let fault):
      return Self.passes(fault) ? .sendAgain(after: min(backOff, longestWait)) : .giveUp
    case .server(let error) where error.mayHaveArrived && !repeatsUncertain: return .giveUp
    case .server(let error):
      guard Self.passes(error) else { return .giveUp }
      // Whoever was told when comes no sooner, and not at the same moment as all others.
      let asked = error.retryAfterSeconds.map { Duration.seconds($0) * (1 + chance / 4) }
      let wait = max(asked ?? backOff, backOff)
      return wait <= longestWait ? .sendAgain(after: wait) : .giveUp
    }
  }

  enum Failure {
    case transport(TransportError)
    case server(CloudError)

    /// Whether the server may have done what it was asked for.
    var mayHaveArrived: Bool {
      switch self {
      case .transport(let fault): fault.mayHaveArrived
      case .server(let error): error.mayHaveArrived
      }
    }
  }

  private static func passes(_ fault: TransportError) -> Bool {
    switch fault.kind {
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
