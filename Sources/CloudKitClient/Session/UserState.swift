package import CloudRecords

/// What the server makes of the user whose token requests carry.
///
/// ```
///            an answer                        401, 421
///   unknown ───────────▶ accepted ──────────────────────▶ refused
///      │                     ▲                                │
///      └─── 401, 421 ────────┼────────────────────────────────┤
///                            └──────────── an answer ─────────┘
/// ```
package enum UserState: Hashable, Sendable {
  /// It has not been asked.
  case unknown
  /// It takes the token.
  case accepted
  /// It does not: the session is over, and the user has to sign in again.
  case refused

  /// The standing after a request.
  ///
  /// - Parameter error: What the server said; nil where it did what it was asked for.
  package func after(_ error: CloudError?) -> UserState {
    switch error?.code {
    case nil: .accepted
    // The server refuses the program, and has not looked at the user.
    case .authenticationFailed where error?.extension == .apiTokenRefused: self
    case .authenticationFailed, .authenticationRequired: .refused
    // Whoever says it may not have looked at who asks.
    default: self
    }
  }
}
