import CloudRecords

/// Counts attempts to sign in, by the name of the account and by the network address of the person.
struct SignInAttempts: Sendable {
  private let byName: AttemptLimiter
  private let byAddress: AttemptLimiter

  init(_ settings: AccountSettings, _ secret: ServerSecret) {
    byName = AttemptLimiter(rate: settings.attemptsByName, secret: secret)
    byAddress = AttemptLimiter(rate: settings.attemptsByAddress, secret: secret)
  }

  /// Consumes an attempt.
  ///
  /// - Parameters:
  ///   - name: The name of the account; nil if only the address counts.
  ///   - address: The network address; nil if an administrator acts.
  /// - Throws: `THROTTLED` if none is left, with the seconds until the next one.
  func take(_ name: SignInName?, from address: String?, at now: Timestamp) throws(CloudError) {
    if let address { try byAddress.take(address, at: now) }
    if let name { try byName.take(name.text, at: now) }
  }

  /// Gives an attempt back that did not fail because of the password.
  func giveBack(_ name: SignInName?, from address: String?) {
    if let address { byAddress.giveBack(address) }
    if let name { byName.giveBack(name.text) }
  }
}
