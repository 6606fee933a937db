internal import AssetStorage
package import CloudRecords
internal import Cryptography
public import Foundation
internal import RecordServer
package import RecordServerHTTP
package import RecordStorage
internal import Synchronization

/// A complete cloud in the memory of a test, with any number of users and devices.
///
///     let cloud = try await TestCloud()
///     let (ada, grace) = (try await cloud.signIn("ada"), try await cloud.signIn("grace"))
///
/// It runs the real server without sockets, so it stores, permits and rejects what a deployed
/// server does. Only `advance(by:)` and pauses before retries move its clock (``TestClock``), and
/// each device has its own network, into which a test injects faults. The cloud ends with the last
/// reference to it.
///
/// Parhelion's addition.
public final class TestCloud: Sendable {
  /// The container's identifier.
  public let container: String
  /// The server's clock.
  public let clock: TestClock

  /// The server's URL, which only this cloud's devices can reach.
  package let address = "https://cloud.test"
  /// The server's address as a `URL`, for configurations.
  let addressURL: URL
  /// The API token of the application.
  package let apiToken: String
  package var service: RecordService { parts.service }

  /// The folder of the records' files.
  package var filesFolder: String { folder.path }

  private let running: RunningServer
  private let transport: InProcessTransport
  private let folder: URL
  private let reported: ReportedErrors
  /// The accounts that are known to exist, so that no request has to create them.
  private let accounts = Mutex<Set<SignInName>>([])
  /// The milliseconds since the last polling round ended.
  private let roundPassed = Mutex<Int64>(0)

  /// The length of a polling round in milliseconds.
  ///
  /// A request that listens for changes gets an empty response after one to two rounds.
  private static let round: Int64 = 7_500
  private static let password = "a password of a test"

  /// Creates an empty cloud with an application's container in its development environment.
  ///
  /// - Parameters:
  ///   - container: The container's identifier.
  ///   - date: The clock's initial time.
  public convenience init(
    container: String = "iCloud.com.example.app",
    startingAt date: Date = Date(timeIntervalSince1970: 1_767_225_600)
  ) async throws {
    try await self.init(container: container, startingAt: date, chance: TestRandomness())
  }

  /// Creates a cloud with controlled randomness, and with storage that may outlive its server.
  ///
  /// - Parameter adjust: Changes the server's limits.
  package init(
    container: String = "iCloud.com.example.app",
    startingAt date: Date = Date(timeIntervalSince1970: 1_767_225_600),
    chance: TestRandomness, storage: any StorageEngine = MemoryStorageEngine(),
    adjust: (inout ServiceLimits) -> Void = { _ in }
  ) async throws {
    let (clock, reported) = (TestClock(at: date), ReportedErrors())
    (self.container, self.clock, self.reported) = (container, clock, reported)
    addressURL = URL(string: address) ?? URL(filePath: "/")
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "parhelion-cloud-\(UUID().uuidString)")
    var configuration = Self.configuration(reported, chance)
    adjust(&configuration.limits)
    let dependencies = ServerDependencies(
      now: { clock.timestamp }, makeName: chance.makeName,
      limits: configuration.limits, report: { reported.add($0) })
    let running = try await RunningServer(report: { reported.add($0) }) {
      [configuration, path = folder.path] in
      try await CloudServer.Parts(storage, configuration, files: path, dependencies: dependencies)
    }
    self.running = running
    transport = InProcessTransport(
      address: address, now: { Int(clock.timestamp.milliseconds / 1_000) }
    ) {
      try await running.parts.service.answer($0)
    }
    apiToken = try await running.parts.service.accounts.createAPIToken(
      for: ContainerAddress(container: container, environment: .development)
    ).text
  }

  private static func configuration(_ reported: ReportedErrors, _ chance: TestRandomness)
    -> CloudServer.Configuration
  {
    var configuration = CloudServer.Configuration()
    configuration.accounts.passwordCost = .least
    if let randomBytes = chance.randomBytes { configuration.accounts.randomBytes = randomBytes }
    // Tests sign in often, so the rate limit is high.
    configuration.accounts.attemptsByName = AttemptRate(atOnce: 10_000, secondsForEach: 1)
    configuration.accounts.trustsNewAddresses = true
    // Sessions never expire, however far a test moves the clock.
    configuration.accounts.keptSeconds = 100 * 365 * 86_400
    // A simulated device signs in at each start, which must not end the sessions of others.
    configuration.accounts.sessionsPerAccount = 10_000
    configuration.service.report = { error, _ in reported.add(error) }
    return configuration
  }

  deinit { stop() }

  private var parts: CloudServer.Parts { running.parts }

  private func stop() {
    running.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Shuts the cloud down, and returns when all its work has ended.
  public func end() async {
    stop()
    await running.finish()
    await parts.engine.close()
  }

  /// Restarts the server on its storage, as after a crash.
  package func restart() async throws { try await running.restart() }

  /// Errors inside the server that clients do not see.
  ///
  /// Empty unless the server has a bug.
  public var serverErrors: [String] { reported.all }

  // MARK: - Devices

  /// Signs a user in on a new device, and creates the account if there is none.
  ///
  /// - Parameter name: The account's name or e-mail address. Other users can find the account by
  ///   the address.
  public func signIn(_ name: String) async throws -> TestDevice {
    try await signIn(name, to: .development)
  }

  /// Signs a user in to one of the container's environments.
  package func signIn(_ name: String, to environment: CloudEnvironment) async throws -> TestDevice {
    let session = try await session(of: name, in: environment)
    let place = ContainerAddress(container: container, environment: environment)
    let token =
      environment == .development
      ? apiToken : try await service.accounts.createAPIToken(for: place).text
    return device(session, environment, apiToken: token)
  }

  /// Returns a web auth token as the server's sign-in page issues it, for tests of account changes.
  ///
  /// ```swift
  /// let container = cloud.device().container
  /// try await container.signIn(webAuthToken: try await cloud.webAuthToken(of: "ada"))
  /// try await container.signIn(webAuthToken: try await cloud.webAuthToken(of: "grace"))
  /// try await container.signOut()                            // each posts CKAccountChanged
  /// ```
  ///
  /// - Parameter name: The account's name or e-mail address. The account is created if there is
  ///   none.
  public func webAuthToken(of name: String) async throws -> String {
    try await session(of: name, in: .development).webToken
  }

  private func session(of name: String, in environment: CloudEnvironment) async throws
    -> StartedSession
  {
    try await createAccount(name)
    return try await service.accounts.signIn(
      name: name, password: Self.password,
      to: ContainerAddress(container: container, environment: environment),
      isKept: true, from: nil)
  }

  /// Creates an account if there is none.
  private func createAccount(_ typed: String) async throws {
    let name = try SignInName(typed)
    guard !accounts.withLock({ $0.contains(name) }) else { return }
    var components = UserIdentity.NameComponents()
    components.givenName = typed
    do throws(CloudError) {
      _ = try await service.accounts.signUp(
        name: typed, password: Self.password, nameComponents: components, isDiscoverable: true,
        from: nil)
    } catch {
      // Another task may have created it meanwhile.
      guard error.code == .exists else { throw error }
    }
    accounts.withLock { _ = $0.insert(name) }
  }

  /// Creates a device without an account.
  ///
  /// Its container can sign in and out (``webAuthToken(of:)``).
  public func device() -> TestDevice { device(nil, .development, apiToken: apiToken) }

  private func device(
    _ session: StartedSession?, _ environment: CloudEnvironment, apiToken: String
  ) -> TestDevice {
    let network = TestNetwork(clock: clock)
    return TestDevice(
      cloud: self, network: network, userRecordName: session?.userRecordName,
      environment: environment,
      apiToken: apiToken, webAuthToken: session?.webToken,
      transport: FaultyTransport(transport, network: network, clock: clock))
  }

  /// Imports a schema, written in the schema language, into development.
  package func importSchema(_ text: String) async throws {
    _ = try await service.server.importSchema(Array(text.utf8), into: container)
  }

  /// Deploys the development schema to production.
  package func deploySchema() async throws {
    _ = try await service.server.deploySchema(of: container)
  }

  // MARK: - Time

  /// Moves the clock and performs the work that becomes due.
  ///
  /// Delayed requests arrive, requests that listened for too long get an empty response,
  /// maintenance tasks run, and unreferenced files are removed. The clock counts whole
  /// milliseconds.
  public func advance(by duration: Duration) async throws {
    clock.advance(by: duration)
    let rounds = roundPassed.withLock { passed in
      passed += duration.wholeMilliseconds
      defer { passed %= Self.round }
      return passed / Self.round
    }
    // The ends of two rounds answer every waiting request, so further ends would have no effect.
    for _ in 0..<min(rounds, 2) { service.endRound() }
    try await service.accounts.runMaintenance()
    try await service.files?.collect()
  }
}

/// The errors inside a server.
private final class ReportedErrors: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock(\.self) }

  func add(_ error: any Error) {
    guard !(error is CancellationError) else { return }
    texts.withLock { $0.append("\(error)") }
  }
}
