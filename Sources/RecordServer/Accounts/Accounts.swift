package import CloudRecords
import RecordStorage
import Synchronization

/// Who may use the server: accounts with their sessions, applications with their tokens, servers
/// with their keys, and the administrators.
///
/// `authenticate` is asked for every request. The rest is what sign-in pages and an operator's
/// commands call. Whatever proves something (passwords, tokens, the administrators' key) is stored
/// as a hash alone.
package final class Accounts: Sendable {
  package let server: RecordServer
  package let settings: AccountSettings
  /// What gives names.
  let secret: ServerSecret
  /// What forms and successors of tokens are signed with.
  let signing: KnownSecrets
  let passwords: PasswordWorker
  let attemptsByName: AttemptLimiter
  let attemptsByAddress: AttemptLimiter
  let requests: AttemptLimiter?
  let sessions: CredentialCache<SecretHash, Session>
  let apiTokens: CredentialCache<SecretHash, APIToken>
  let serverKeys: CredentialCache<String, UsableServerKey>
  let developmentUsers: CredentialCache<DevelopmentUser, KnownDevelopmentUser>
  let takenSignatures: UsedSignatures
  /// Requests that were signed earlier may have been taken by a process that is gone; nothing was
  /// before the first start.
  let remembersSince: Timestamp
  /// When sessions that are over are looked for next.
  let deadSessionsDue = Mutex(Timestamp(milliseconds: 0))

  /// Opens the accounts of a server; at the first start, makes its secrets.
  ///
  /// The administrators' key comes later, with `makeFirstAdministratorKey`.
  ///
  /// - Parameter verifying: Whether people will sign in, for which the system must have the memory.
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
        .internalError, "The system does not have the memory that the hash of a password needs.")
    }
    let beginning = isFirst ? Timestamp(milliseconds: 0) : server.environment.now()
    return Accounts(server, settings, secret, signing, passwords, since: beginning)
  }

  private init(
    _ server: RecordServer, _ settings: AccountSettings, _ secret: ServerSecret,
    _ signing: SecretRing,
    _ passwords: PasswordWorker, since beginning: Timestamp
  ) {
    self.server = server
    self.settings = settings
    self.secret = secret
    self.signing = KnownSecrets(signing)
    self.passwords = passwords
    attemptsByName = AttemptLimiter(rate: settings.attemptsByName, secret: secret)
    attemptsByAddress = AttemptLimiter(rate: settings.attemptsByAddress, secret: secret)
    requests = settings.requests.map {
      AttemptLimiter(
        rate: $0, secret: secret, message: "Too many requests. Wait, and go on more slowly.")
    }
    sessions = CredentialCache(settings)
    apiTokens = CredentialCache(settings)
    serverKeys = CredentialCache(settings)
    developmentUsers = CredentialCache(settings)
    takenSignatures = UsedSignatures(capacity: settings.signaturesOfKey)
    remembersSince = beginning
  }

  /// Two servers that start on one empty storage agree: the first makes the secrets, the other
  /// finds them.
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

  var now: Timestamp { server.environment.now() }

  /// How many hashes of passwords were computed.
  package var passwordHashCount: Int { passwords.count }

  /// How many credentials are remembered.
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

  /// Changes accounts only.
  func write<Result: Sendable>(
    _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws(CloudError) -> Result {
    try await server.write(AccountKeys.partition, body)
  }

  /// Changes accounts and what containers know of their users.
  func writeEverywhere<Result: Sendable>(
    _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws(CloudError) -> Result {
    try await server.write(nil, body)
  }

  /// The container's number.
  func realm(of container: ContainerAddress) async throws(CloudError) -> Realm {
    if let realm = try await server.realm(of: container) { return realm }
    throw CloudError(.notFound, "There is no container “\(container.container)” on this server.")
  }
}
