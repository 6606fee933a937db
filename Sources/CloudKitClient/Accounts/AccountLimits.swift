/// The limits of stored accounts.
enum AccountLimits {
  /// The number of configured tokens with a stored successor: more than a person uses on a machine.
  static let keptSuccessors = 8
  /// The number of earlier tokens that a session recognizes as its own: more than are issued while
  /// another process still uses an older one.
  static let rememberedTokens = 32
  /// The minimum interval between two writes of renewed tokens.
  ///
  /// A record server accepts the previous token for ten minutes, so a delay of this length is safe.
  static let secondsBetweenRenewals: Double = 30
  /// The longest query of a redirect that is parsed.
  static let callbackBytes = 4096
}
