/// The limits of stored accounts.
enum AccountLimits {
  /// Configured tokens whose newest successor is stored: more than one person alternates between on
  /// a machine.
  static let keptSuccessors = 8
  /// Earlier tokens of a session that it recognizes as its own: more than are issued while another
  /// process still uses an older one.
  static let rememberedTokens = 32
  /// The minimum interval between two writes of renewed tokens.
  ///
  /// A record server accepts the previous token for ten minutes, so a delay of this length is safe.
  static let secondsBetweenRenewals: Double = 30
  /// The longest query of a redirect that is parsed.
  static let callbackBytes = 4096
}
