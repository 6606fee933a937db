package import CloudRecords
import RecordStorage
import Synchronization

/// Accounts with their sessions, applications with their tokens, servers with their keys, and the
/// administrators.
///
/// `authenticate` runs for every request; sign-in pages and operators' commands call the rest.
/// Credentials (passwords, tokens, the administrators' key) are stored only as hashes.
package final class Accounts: Sendable {
  package let server: RecordServer
  package let settings: AccountSettings
  /// Derives user record names.
  let secret: ServerSecret
  /// Signs forms, and derives successors of tokens.
  let signing: KnownSecrets
  let passwords: PasswordWorker
  let attempts: SignInAttempts
  let requests: AttemptLimiter?
  let sessions: CredentialCache<SecretHash, Session>
  let apiTokens: CredentialCache<SecretHash, APIToken>
  let serverKeys: CredentialCache<String, UsableServerKey>
  let developmentUsers: CredentialCache<DevelopmentUser, KnownDevelopmentUser>
  let takenSignatures: UsedSignatures
  /// The start of the replay cache: a former process may have accepted requests signed earlier.
  let remembersSince: Timestamp
  /// The time at which expired sessions are next removed.
  let deadSessionsDue = Mutex(Timestamp(milliseconds: 0))

  /// Opens the accounts of a server, and creates its secrets at the first start.
  ///
  /// `makeFirstAdministratorKey` creates the administrators' key later.
  ///
  /// - Parameter verifying: Whether people will sign in, so that the system must have the memory
  ///   for password hashing.
  package static func open(
    _ server: RecordServer, settings: AccountSettings, verifying: Bool = true
  ) async throws(CloudError) -> Accounts {
    let fresh = settings.randomBytes(Secret.byteCount)
    let (secret, signing, isFirst) = try await server.write(AccountKeys.partition) { transaction in
      try Self.secret(or: fresh, in: transaction)
    }
    let passwords = PasswordWorker(cost: settings.passwordCost)
    guard !verifying || passwords.isPossible else {
      throw CloudError(
        .internalError, "The system does not have enough memory to hash a password.")
    }
    let beginning = isFirst ? Timestamp(milliseconds: 0) : server.dependencies.now()
    return Accounts(server, settings, secret, signing, passwords, since: beginning)
  }

  private init(
    _ server: RecordServer, _ settings: AccountSettings, _ secret: ServerSecret,
    _ signing: SecretRing, _ passwords: PasswordWorker, since beginning: Timestamp
  ) {
    self.server = server
    self.settings = settings
    self.secret = secret
    self.signing = KnownSecrets(signing)
    self.passwords = passwords
    attempts = SignInAttempts(settings, secret)
    requests = settings.requests.map {
      AttemptLimiter(
        rate: $0, secret: secret, message: "Too many requests. Wait, and send fewer.")
    }
    sessions = CredentialCache(settings)
    apiTokens = CredentialCache(settings)
    serverKeys = CredentialCache(settings)
    developmentUsers = CredentialCache(settings)
    takenSignatures = UsedSignatures(capacity: settings.signaturesOfKey)
    remembersSince = beginning
  }

  /// Returns the server's stored secrets, or stores new ones at the first start.
  ///
  /// Of concurrent first starts, the first creates the secrets, and the others find them.
  private static func secret(
    or fresh: [UInt8], in transaction: any StorageWriting
  ) throws -> (ServerSecret, SecretRing, isFirst: Bool) {
    if let known = try transaction.value(of: AccountKeys.serverSecret) {
      let secret = ServerSecret(bytes: try StoredSecretBytes.bytes(of: known))
      return (secret, try ring(of: secret, in: transaction), false)
    }
    try transaction.set(StoredSecretBytes.form(of: fresh), for: AccountKeys.serverSecret)
    return (ServerSecret(bytes: fresh), SecretRing(current: fresh), true)
  }

  var now: Timestamp { server.dependencies.now() }

  /// The number of password hashes computed.
  package var passwordHashCount: Int { passwords.count }

  /// The number of cached credentials.
  package var rememberedCount: Int {
    sessions.count + apiTokens.count + serverKeys.count + developmentUsers.count
  }
}

// MARK: - Transactions

extension Accounts {
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws(CloudError) -> Result {
    try await server.read(AccountKeys.partition, body)
  }

  /// Changes accounts.
  func write<Result: Sendable>(
    _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws(CloudError) -> Result {
    try await server.write(AccountKeys.partition, body)
  }

  /// Changes accounts, and users in the containers.
  func writeEverywhere<Result: Sendable>(
    _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws(CloudError) -> Result {
    try await server.write(nil, body)
  }

  /// The realm of a container.
  func realm(of container: ContainerAddress) async throws(CloudError) -> Realm {
    if let realm = try await server.realm(of: container) { return realm }
    throw CloudError(.notFound, "There is no container “\(container.container)” on this server.")
  }
}
