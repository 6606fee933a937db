import CloudRecords
import CloudWire
import Cryptography
import RecordServer
import RecordStorage
import Synchronization
import TestSupport
import Testing

/// The real accounts on a real server, with a clock that stands still until it is moved.
final class AccountServer: Sendable {
  let cloud: Cloud
  let engine: any StorageEngine
  let accounts: Accounts
  let administratorKey: String?

  static let container = ContainerAddress(container: "iCloud.test", environment: .development)
  static let password = "correct horse battery"

  static var settings: AccountSettings {
    var settings = AccountSettings()
    settings.passwordCost = .least
    settings.signInAddress = "https://cloud.example/sign-in"
    return settings
  }

  init(
    _ settings: AccountSettings = AccountServer.settings,
    engine: any StorageEngine = MemoryStorageEngine(),
    on cloud: Cloud? = nil
  ) async throws {
    self.engine = engine
    self.cloud = cloud ?? Cloud(engine: engine)
    accounts = try await Accounts.open(self.cloud.server, settings: settings)
    administratorKey = try await accounts.makeFirstAdministratorKey()
    _ = try await self.cloud.server.makeRealm(of: Self.container)
  }

  func pass(minutes: Double) { cloud.pass(seconds: Int64(minutes * 60)) }

  @discardableResult
  func add(_ name: String, password: String = AccountServer.password) async throws -> Account {
    try await accounts.signUp(name: name, password: password, from: nil)
  }

  func signIn(
    _ name: String, _ password: String = AccountServer.password,
    to container: ContainerAddress = AccountServer.container,
    isKept: Bool = false, from address: String? = nil
  ) async throws -> StartedSession {
    try await accounts.signIn(
      name: name, password: password, to: container, isKept: isKept, from: address)
  }

  func apiToken(for container: ContainerAddress = AccountServer.container) async throws -> String {
    try await accounts.createAPIToken(for: container).text
  }

  /// Authenticates a request, and returns the caller or the error.
  func ask(
    _ apiToken: String?, _ webToken: String? = nil, origin: String? = nil,
    container: ContainerAddress = AccountServer.container
  ) async -> Outcome {
    await outcome(
      Credentials(container: container, apiToken: apiToken, webToken: webToken, origin: origin))
  }

  func outcome(_ credentials: Credentials) async -> Outcome {
    do throws(CloudError) {
      let authentication = try await accounts.authenticate(credentials)
      return Outcome(caller: authentication.caller, webToken: authentication.webToken)
    } catch {
      return Outcome(error: error)
    }
  }

  /// The result of authenticating a request.
  struct Outcome: Hashable {
    var caller: Caller?
    var webToken: String?
    var error: CloudError?

    var code: CloudErrorCode? { error?.code }
  }

  func store(_ value: [UInt8], for key: StorageKey) async throws {
    try await engine.write { transaction in try transaction.set(value, for: key) }
  }

  /// All stored bytes, of keys and values.
  func stored() async throws -> [[UInt8]] {
    try await engine.read { transaction in
      try transaction.entries(in: .all).flatMap { [$0.key.bytes, $0.value] }
    }
  }
}

/// The error that a call throws; nil if it succeeds.
func refusal(_ body: () async throws -> Void) async throws -> CloudError? {
  do {
    try await body()
    return nil
  } catch let error as CloudError {
    return error
  }
}

/// An engine in memory that counts transactions.
final class CountingEngine: StorageEngine {
  private let engine = MemoryStorageEngine()
  private let counts = Mutex((reads: 0, writes: 0))

  /// The number of transactions since the last call.
  func take() -> (reads: Int, writes: Int) {
    counts.withLock { counts in
      defer { counts = (0, 0) }
      return counts
    }
  }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    counts.withLock { $0.reads += 1 }
    return try await engine.read(in: partition, body)
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    counts.withLock { $0.writes += 1 }
    return try await engine.write(in: partition, body)
  }

  func close() async { await engine.close() }
}
