package import Foundation

/// Decides when a renewed token is brought to the disk.
///
/// The first one at once: the token that it follows dies soon after this one is used. Then one in a
/// while, since there are servers that give another token with every answer.
///
/// ```
///            renewed: write                  renewed: write later
///   quiet ───────────────────▶ written ───────────────────────────▶ waiting
///     ▲                           │ renewed after the pause: write     │ due: write
///     └───────────────────────────┘ ◀──────────────────────────────────┘
/// ```
///
/// What a crash can lose is the tokens of the pause. The one on the disk was followed no longer ago
/// than that, and is good for the server's time of grace, which is ten minutes on a record server
/// of ours.
package struct TokenPersistencePolicy: Sendable {
  package enum Action: Hashable, Sendable {
    case write
    case writeLater(after: Duration)
    /// A write is to come, and brings this token too.
    case nothing
  }

  private var lastWrite: Date?
  private var isWaiting = false

  package init() {}

  /// There is a new token.
  package mutating func renewed(at now: Date) -> Action {
    if isWaiting { return .nothing }
    let rest =
      lastWrite.map { AccountLimits.secondsBetweenRenewals - now.timeIntervalSince($0) } ?? 0
    guard rest > 0, rest <= AccountLimits.secondsBetweenRenewals else {
      // A clock that was set back counts as a pause that is over.
      lastWrite = now
      return .write
    }
    isWaiting = true
    return .writeLater(after: .seconds(rest))
  }

  /// The pause is over.
  package mutating func due(at now: Date) {
    isWaiting = false
    lastWrite = now
  }
}
