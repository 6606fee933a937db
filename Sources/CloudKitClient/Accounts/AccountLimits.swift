/// The bounds of accounts, each with its reason.
enum AccountLimits {
  /// Tokens of configurations whose newest successors are kept: as many as a person may use in turn
  /// on one machine.
  static let keptSuccessors = 8
  /// Tokens of a session that it knows for its own: more than follow one another while another
  /// process holds an older one.
  static let rememberedTokens = 32
  /// The shortest time between two writes of renewed tokens; far below the ten minutes for which a
  /// record server takes the token before.
  static let secondsBetweenRenewals: Double = 30
  /// The longest part of a redirect that is taken from a browser.
  static let callbackBytes = 4096
}
