import CloudRecords
package import Cryptography

/// Account settings that operators and tests can change.
package struct AccountSettings: Sendable {
  /// The address of the sign-in page, as clients get it; the API token is appended.
  package var signInAddress = ""

  // MARK: Signing up

  /// The users who may create an account on the sign-up page.
  ///
  /// Administrators always may.
  package enum SignUp: String, CaseIterable, Sendable {
    case open
    /// People with an invitation code.
    case invited
    case closed
  }

  package var signUp = SignUp.open
  /// The default lifetime of an invitation code.
  package var invitationSeconds: Int64 = 14 * 86_400

  // MARK: Passwords

  package var passwordCost = PasswordHash.Cost.standard
  /// The minimum length of a password, as in revision 3 of NIST SP 800-63B.
  package var minimumPasswordCharacters = 8
  /// Whether an e-mail address given at sign-up is trusted without verification.
  ///
  /// The server mails no codes, so it cannot verify an address. An account with a trusted address
  /// can accept invitations that were sent to this address. Addresses of accounts that an
  /// administrator creates are always trusted.
  package var trustsNewAddresses = false

  // MARK: Sessions

  /// The minimum lifetime of a session without requests.
  package var idleSeconds: Int64 = 30 * 60
  /// The same, for a person who chose to stay signed in.
  package var keptSeconds: Int64 = 14 * 86_400
  /// The age at which a web token is replaced by a successor.
  ///
  /// A new token for each request would cost a write each. This way, continuous use costs two
  /// writes in five minutes.
  package var rotationSeconds: Int64 = 5 * 60
  /// The time that a web token stays valid after its successor was first used, since concurrent
  /// requests still carry the old token.
  package var graceSeconds: Int64 = 10 * 60
  /// The maximum number of sessions per account.
  ///
  /// A new session ends the oldest.
  package var sessionsPerAccount = 100

  // MARK: Signed requests

  /// The maximum difference between a signed request's date and now.
  package var signatureSeconds: Int64 = 10 * 60

  /// The maximum number of remembered signatures per key, each for as long as it could be replayed:
  /// 500 per second for ten minutes.
  package var signaturesOfKey = 300_000

  // MARK: Sign-in attempts

  /// The rate per name: ten at once, then one per minute.
  package var attemptsByName = AttemptRate(atOnce: 10, secondsForEach: 60)
  /// The rate per network address, which many people may share.
  package var attemptsByAddress = AttemptRate(atOnce: 30, secondsForEach: 10)

  // MARK: Requests

  /// The request rate per user, server key, or network address of a caller without a user; nil for
  /// no throttling.
  package var requests: AttemptRate?

  // MARK: Caches

  /// The maximum number of cached credentials of each kind.
  package var rememberedCredentials = 10_000
  /// The time for which a credential is cached.
  ///
  /// Revocation takes effect at once in this process, and after this time in others.
  package var rememberedSeconds: Int64 = 10

  /// A cryptographically secure source of random bytes.
  package var randomBytes: @Sendable (Int) -> [UInt8] = { SecureRandom.bytes($0) }

  package init() {}
}

extension Timestamp {
  func adding(seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: milliseconds + seconds * 1_000)
  }
}
