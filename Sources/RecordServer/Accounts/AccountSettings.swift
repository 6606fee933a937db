import CloudRecords
package import Cryptography

/// What an operator decides about accounts, and what tests replace.
package struct AccountSettings: Sendable {
  /// The page to sign in on, as a client is told of it; the API token is added.
  package var signInAddress = ""

  // MARK: Signing up

  /// Which people may make an account on the sign-up page; administrators always may.
  package enum SignUp: String, CaseIterable, Sendable {
    case open
    /// A person who has an invitation code.
    case invited
    case closed
  }

  package var signUp = SignUp.open
  /// How long an invitation code is good by default.
  package var invitationSeconds: Int64 = 14 * 86_400

  // MARK: Passwords

  package var passwordCost = PasswordHash.Cost.standard
  /// NIST SP 800-63B's least.
  package var minimumPasswordCharacters = 8
  /// Whether somebody who signs up with an e-mail address is taken to have it.
  ///
  /// The server sends no mail, so it cannot know; and who is taken for the owner of an address can
  /// join the shares that its owner was asked to. Accounts that an administrator makes have their
  /// address either way.
  package var trustsNewAddresses = false

  // MARK: Sessions

  /// How long a session lasts at least without a request.
  package var idleSeconds: Int64 = 30 * 60
  /// The same, for somebody who wants to stay signed in.
  package var keptSeconds: Int64 = 14 * 86_400
  /// How old a web token is before a request gets its successor.
  ///
  /// A new one for each request would be a write for each request. With this, somebody who works
  /// all the time costs two writes in five minutes.
  package var rotationSeconds: Int64 = 5 * 60
  /// How long a web token is good after its successor was used first: requests that were sent in
  /// parallel still carry it.
  package var graceSeconds: Int64 = 10 * 60
  /// The most sessions of an account; the oldest ends for a new one.
  package var sessionsPerAccount = 100

  // MARK: Signed requests

  /// How far a signed request's date may lie from now.
  package var signatureSeconds: Int64 = 10 * 60

  /// The most signatures of one key that are remembered, each for as long as it could be sent
  /// again: 500 in each second of ten minutes.
  package var signaturesOfKey = 300_000

  // MARK: Attempts to sign in

  /// For one name: ten at once, then one in a minute.
  package var attemptsByName = AttemptRate(atOnce: 10, secondsForEach: 60)
  /// For one network address, which many people may share.
  package var attemptsByAddress = AttemptRate(atOnce: 30, secondsForEach: 10)

  // MARK: Requests

  /// For one user, one key of a server, or one network address of an application without a user;
  /// nil where nobody is held up.
  package var requests: AttemptRate?

  // MARK: Memory

  /// The most credentials of each kind that are remembered.
  package var rememberedCredentials = 10_000
  /// How long one is remembered.
  ///
  /// What this process revokes is forgotten at once; what another process revokes, after so long.
  package var rememberedSeconds: Int64 = 10

  /// Bytes that nobody can guess.
  package var randomBytes: @Sendable (Int) -> [UInt8] = { SecureRandom.bytes($0) }

  package init() {}
}

extension Timestamp {
  func adding(seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: milliseconds + seconds * 1_000)
  }
}
