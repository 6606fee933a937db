internal import AssetStorage
package import CloudRecords
internal import Cryptography
public import Foundation
internal import RecordServer
package import RecordServerHTTP
package import RecordStorage
internal import Synchronization

/// A whole cloud in the memory of a test, with as many people and devices as it wants.
///
///     let cloud = try await TestCloud()
///     let (ada, grace) = (try await cloud.signIn("ada"), try await cloud.signIn("grace"))
///
/// It is the real server without sockets: what it stores, allows and refuses is what a server does.
/// Its clock stands until `advance(by:)` moves it (``TestClock``), and each device has a network of
/// its own that fails as the test wants. It is gone with the last that holds it.
///
/// Parhelion's addition.
public final class TestCloud: Sendable {
  /// The container's identifier.
  public let container: String
  /// The clock of the server.
  public let clock: TestClock

  /// How the server is called, which only devices of this cloud can reach.
  package let address = "https://cloud.test"
  /// The same as an address that configurations take.
  let addressURL: URL
  /// What the application proves itself with.
  package let apiToken: String
  package var service: RecordService { parts.service }

  /// Where the files of records are.
  package var filesFolder: String { folder.path }

  private let running: RunningServer
  private let transport: InProcessTransport
  private let folder: URL
  private let reported: ReportedProblems
  /// What has passed of the round of those that wait.
  private let roundPassed = Mutex(Duration.zero)

  /// How long a device waits in vain before it gets an answer: between one and two of these.
  private static let round = Duration.milliseconds(7_500)
  private static let password = "a password of a test"

  /// A cloud with nothing in it but an application's container, in its development environment.
  ///
  /// - Parameters:
  ///   - container: The identifier of the container.
  ///   - date: What the clock shows at first.
  public convenience init(
    container: String = "iCloud.com.example.app",
    startingAt date: Date = Date(timeIntervalSince1970: 1_767_225_600)
  ) async throws {
    try await self.init(container: container, startingAt: date, chance: TestRandomness())
  }

  /// A cloud whose chance is given, so that the same requests give the same answers, and whose
  /// storage may outlive its server.
  ///
  /// - Parameter adjust: Changes the limits of the server.
  package init(
    container: String = "iCloud.com.example.app",
    startingAt date: Date = Date(timeIntervalSince1970: 1_767_225_600),
    chance: TestRandomness, storage: any StorageEngine = MemoryStorageEngine(),
    adjust: (inout ServiceLimits) -> Void = { _ in }
  ) async throws {
    let (clock, reported) = (TestClock(at: date), ReportedProblems())
    (self.container, self.clock, self.reported) = (container, clock, reported)
    addressURL = URL(string: address) ?? URL(filePath: "/")
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "parhelion-cloud-\(UUID().uuidString)")
    var configuration = Self.configuration(reported, chance)
    adjust(&configuration.limits)
    let environment = ServerEnvironment(
      now: { clock.timestamp }, makeName: chance.makeName,
      limits: configuration.limits, report: { reported.add($0) })
    let running = try await RunningServer(report: { reported.add($0) }) {
      [configuration, path = folder.path] in
      try await CloudServer.Parts(storage, configuration, files: path, environment: environment)
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

  private static func configuration(_ reported: ReportedProblems, _ chance: TestRandomness)
    -> CloudServer.Configuration
  {
    var configuration = CloudServer.Configuration()
    configuration.accounts.passwordCost = .least
    if let randomBytes = chance.randomBytes { configuration.accounts.randomBytes = randomBytes }
    // Devices sign in as often as a test wants.
    configuration.accounts.attemptsByName = AttemptRate(atOnce: 10_000, secondsForEach: 1)
    configuration.accounts.trustsNewAddresses = true
    // Who is signed in stays so, however far a test moves the clock.
    configuration.accounts.keptSeconds = 100 * 365 * 86_400
    configuration.service.report = { error, _ in reported.add(error) }
    return configuration
  }

  deinit { stop() }

  private var parts: CloudServer.Parts { running.parts }

  private func stop() {
    running.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Ends the cloud, and returns when nothing of it goes on.
  public func end() async {
    stop()
    await running.finish()
    await parts.engine.close()
  }

  /// Starts the server again on what its storage has kept, as behind a crash.
  package func restart() async throws { try await running.restart() }

  /// What failed within the server, which clients are not told: nothing, unless the server has a
  /// fault.
  public var problems: [String] { reported.all }

  // MARK: - Devices

  /// Signs somebody in on a device of their own, and gives them an account where they have none.
  ///
  /// - Parameter name: The name or the e-mail address of their account; others find them by the
  ///   address.
  public func signIn(_ name: String) async throws -> TestDevice {
    try await signIn(name, to: .development)
  }

  /// Signs somebody in to one of the container's environments.
  package func signIn(_ name: String, to environment: CloudEnvironment) async throws -> TestDevice {
    let session = try await session(of: name, in: environment)
    let place = ContainerAddress(container: container, environment: environment)
    let token =
      environment == .development
      ? apiToken : try await service.accounts.createAPIToken(for: place).text
    return device(session, environment, apiToken: token)
  }

  /// The web token that the server's page gives to somebody who signs in there, for devices whose
  /// accounts change.
  ///
  /// ```swift
  /// let container = cloud.device().container
  /// try await container.signIn(webAuthToken: try await cloud.webAuthToken(of: "ada"))
  /// try await container.signIn(webAuthToken: try await cloud.webAuthToken(of: "grace"))
  /// try await container.signOut()                            // each posts CKAccountChanged
  /// ```
  ///
  /// - Parameter name: The name or the e-mail address of their account, which they get where they
  ///   have none.
  public func webAuthToken(of name: String) async throws -> String {
    try await session(of: name, in: .development).webToken
  }

  private func session(of name: String, in environment: CloudEnvironment) async throws
    -> StartedSession
  {
    let accounts = service.accounts
    if !reported.isKnown(name) {
      var components = UserIdentity.NameComponents()
      components.givenName = name
      _ = try await accounts.signUp(
        name: name, password: Self.password, nameComponents: components, isDiscoverable: true,
        from: nil)
    }
    return try await accounts.signIn(
      name: name, password: Self.password,
      to: ContainerAddress(container: container, environment: environment),
      isKept: true, from: nil)
  }

  /// A device on which nobody has signed in: whoever does on its container can sign out again
  /// (``webAuthToken(of:)``).
  public func device() -> TestDevice { device(nil, .development, apiToken: apiToken) }

  private func device(
    _ session: StartedSession?, _ environment: CloudEnvironment, apiToken: String
  ) -> TestDevice {
    let network = TestNetwork()
    return TestDevice(
      cloud: self, network: network, userRecordName: session?.userRecordName,
      environment: environment,
      apiToken: apiToken, webAuthToken: session?.webToken,
      transport: FaultyTransport(transport, network: network, clock: clock))
  }

  /// Gives development a schema in the schema language.
  package func importSchema(_ text: String) async throws {
    _ = try await service.server.importSchema(Array(text.utf8), into: container)
  }

  /// Gives production the schema that development has.
  package func deploySchema() async throws {
    _ = try await service.server.deploySchema(of: container)
  }

  // MARK: - Time

  /// Moves the clock, and does what is due by then: delayed requests arrive, devices that waited
  /// for too long get an empty answer, chores are done, and files that nobody needs are removed.
  public func advance(by duration: Duration) async throws {
    clock.advance(by: duration)
    let rounds = roundPassed.withLock { passed in
      passed += duration
      let rounds = Int(passed / Self.round)
      passed -= Self.round * rounds
      return rounds
    }
    // After the second nobody waits who waited before the first.
    for _ in 0..<min(rounds, 2) { service.endRound() }
    try await service.accounts.doChores()
    try await service.files?.collect()
  }
}

/// What failed within a server, and who has an account there.
private final class ReportedProblems: Sendable {
  private let texts = Mutex<[String]>([])
  private let names = Mutex<Set<String>>([])

  var all: [String] { texts.withLock(\.self) }

  func add(_ error: any Error) {
    guard !(error is CancellationError) else { return }
    texts.withLock { $0.append("\(error)") }
  }

  /// Whether the name was there before.
  func isKnown(_ name: String) -> Bool { names.withLock { !$0.insert(name).inserted } }
}
