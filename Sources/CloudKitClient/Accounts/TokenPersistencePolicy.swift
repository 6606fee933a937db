package import Foundation

/// Decides when a renewed token is written to disk.
///
/// The first renewal is written immediately, because the previous token expires soon. Later ones
/// are debounced, because some servers renew the token with every response.
///
/// ```
///            renewed: write                  renewed: write later
///   quiet ───────────────────▶ written ───────────────────────────▶ waiting
///     ▲                           │ renewed after the pause: write     │ due: write
///     └───────────────────────────┘ ◀──────────────────────────────────┘
/// ```
///
/// A crash loses at most the tokens of one pause. The token on disk was replaced at most one pause
/// ago, and a record server accepts replaced tokens for ten minutes.
package struct TokenPersistencePolicy: Sendable {
  package enum Action: Hashable, Sendable {
    case write
    case writeLater(after: Duration)
    /// A scheduled write will include this token.
    case nothing
  }

  private var lastWrite: Date?
  private var isWaiting = false

  package init() {}

  /// Handles a renewed token.
  package mutating func renewed(at now: Date) -> Action {
    if isWaiting { return .nothing }
    let rest =
      lastWrite.map { AccountLimits.secondsBetweenRenewals - now.timeIntervalSince($0) } ?? 0
    guard rest > 0, rest <= AccountLimits.secondsBetweenRenewals else {
      // If the clock was set back, the pause counts as over.
      lastWrite = now
      return .write
    }
    isWaiting = true
    return .writeLater(after: .seconds(rest))
  }

  /// Handles the end of the pause.
  package mutating func due(at now: Date) {
    isWaiting = false
    lastWrite = now
  }
}
