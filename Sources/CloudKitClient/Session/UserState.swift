package import CloudRecords

/// Whether the server accepts the user's token.
///
/// ```
///             success                         401, 421
///   unknown ───────────▶ accepted ──────────────────────▶ refused
///      │                     ▲                                │
///      └─── 401, 421 ────────┼────────────────────────────────┤
///                            └───────────── success ──────────┘
/// ```
package enum UserState: Hashable, Sendable {
  /// The server has neither accepted nor rejected the token yet.
  case unknown
  /// The server accepts the token.
  case accepted
  /// The server rejects the token. The session is over, and the user has to sign in again.
  case refused

  /// Returns the state after a response.
  ///
  /// - Parameter error: The server's error; nil for success.
  package func after(_ error: CloudError?) -> UserState {
    switch error?.code {
    case nil: .accepted
    // The server rejects the app's token and has not checked the user's.
    case .authenticationFailed where error?.extension == .apiTokenRefused: self
    case .authenticationFailed, .authenticationRequired: .refused
    // The server may have responded before it checked the user.
    default: self
    }
  }
}
