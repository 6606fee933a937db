import ClientTestSupport
import CloudKitClient
import CloudRecords
import CloudTransport
import Cryptography
import CurlTransport
import Foundation
import RecordServer
import RecordServerHTTP
import RecordStorage
import TestSupport
import Testing

/// A server with sockets, two users, and a proxy that injects faults.
struct DistantCloud {
  static let place = ContainerAddress(container: "iCloud.http", environment: .development)

  let server: CloudServer
  let proxy: FaultyProxy
  /// The folder of the server's files.
  let files: URL
  let apiToken: String
  /// The users' session tokens.
  let webTokens: [Person: String]

  /// The bytes of incomplete uploads on the server.
  func incompleteUploadBytes() throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: files.path).filter { $0.hasSuffix(".part") }
      .reduce(0) {
        sum, path in
        let attributes = try? FileManager.default.attributesOfItem(
          atPath: files.appendingPathComponent(path).path)
        return sum + (attributes?[.size] as? Int ?? 0)
      }
  }

  enum Person: String, CaseIterable {
    case ada, grace
  }

  /// A container with its own connections.
  ///
  /// Unless `lasts`, the fault ends before the client retries.
  private func container(
    _ credentials: CKContainer.Configuration.Credentials?, fault: NetworkFault, lasts: Bool,
    clock: @escaping @Sendable () -> Date
  ) -> (CKContainer, CurlTransport) {
    let (transport, proxy) = (Self.transport(), proxy)
    proxy.fault = fault
    let dependencies = ClientDependencies(
      now: clock, wait: { _ in if !lasts { proxy.fault = .none } }, chance: { 0.5 },
      makeName: { UUID().uuidString })
    let container = container(credentials ?? self.credentials(.ada), over: transport, dependencies)
    return (container, transport)
  }

  /// Runs a block over its own connections and closes them afterwards.
  @discardableResult func using<Result>(
    _ credentials: CKContainer.Configuration.Credentials? = nil, fault: NetworkFault = .none,
    lasts: Bool = false,
    clock: @escaping @Sendable () -> Date = { Date() }, _ body: (CKContainer) async throws -> Result
  ) async throws -> Result {
    let (container, transport) = container(credentials, fault: fault, lasts: lasts, clock: clock)
    return try await Self.closing([transport]) { try await body(container) }
  }

  /// Runs a block on two devices of Ada's and one of Grace's, with a connection for each request,
  /// and closes them afterwards.
  ///
  /// The proxy's plan then has one fault for each request.
  ///
  /// - Parameter clockOffsets: How many seconds each device's clock is ahead.
  func usingDevices(
    clockOffsets: [TimeInterval] = [0, 0, 0], _ body: (Devices) async throws -> Void
  ) async throws {
    let transports = clockOffsets.map { _ in Self.transport() }
    func device(_ person: Person, _ number: Int) -> CKContainer {
      let dependencies = Self.impatient { Date(timeIntervalSinceNow: clockOffsets[number]) }
      return container(
        credentials(person), over: ConnectionForEachRequest(base: transports[number]), dependencies)
    }
    try await Self.closing(transports) {
      try await body(
        Devices(ada: device(.ada, 0), adasOther: device(.ada, 1), grace: device(.grace, 2)))
    }
  }

  struct Devices {
    let ada: CKContainer
    let adasOther: CKContainer
    let grace: CKContainer
  }

  // MARK: Parts

  /// A transport that trusts one authority, or those of the system.
  static func transport(trusting authority: String? = nil) -> CurlTransport {
    var settings = CurlTransport.Settings()
    settings.proxy = .none
    settings.security.authorityFile = authority
    return CurlTransport(settings)
  }

  /// The dependencies of a device whose waits end at once.
  static func impatient(_ clock: @escaping @Sendable () -> Date = { Date() }) -> ClientDependencies
  {
    ClientDependencies(
      now: clock, wait: { _ in try Task.checkCancellation() }, chance: { 0.5 },
      makeName: { UUID().uuidString })
  }

  func credentials(_ person: Person) -> CKContainer.Configuration.Credentials {
    .user(apiToken: apiToken, webAuthToken: webTokens[person] ?? "")
  }

  func container(
    _ credentials: CKContainer.Configuration.Credentials, at address: String? = nil,
    over transport: any CloudTransport, _ dependencies: ClientDependencies
  ) -> CKContainer {
    let configuration = CKContainer.Configuration(
      containerIdentifier: Self.place.container,
      server: webAddress(address ?? "http://127.0.0.1:\(proxy.port)"),
      credentials: credentials)
    return CKContainer(
      ContainerBinding(configuration, transport: transport, dependencies: dependencies))
  }

  /// A container with its own configuration and transport.
  static func device(_ configuration: CKContainer.Configuration, _ transport: CurlTransport)
    -> CKContainer
  {
    CKContainer(ContainerBinding(configuration, transport: transport, dependencies: impatient()))
  }

  /// Runs a block and closes connections afterwards.
  static func closing<Result>(
    _ transports: [CurlTransport], _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await body()
      for transport in transports { await transport.shutdown() }
      return result
    } catch {
      for transport in transports { await transport.shutdown() }
      throw error
    }
  }
}

/// Runs a server and a proxy for a test.
///
/// Expects that no connection is left at the end.
func withDistantCloud(
  _ configure: (inout CloudServer.Configuration) -> Void = { _ in },
  _ body: (DistantCloud) async throws -> Void
) async throws {
  var configuration = CloudServer.Configuration()
  configuration.accounts.passwordCost = .least
  let files = FileManager.default.temporaryDirectory.appendingPathComponent(
    "files-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: files) }
  configuration.files = files.path
  configure(&configuration)
  let server = try await CloudServer.start(on: MemoryStorageEngine(), configuration)
  let accounts = server.service.accounts
  let apiToken = try await accounts.createAPIToken(for: DistantCloud.place).text
  var webTokens: [DistantCloud.Person: String] = [:]
  for person in DistantCloud.Person.allCases {
    _ = try await accounts.signUp(
      name: person.rawValue, password: "a password of a test", from: nil)
    webTokens[person] = try await accounts.signIn(
      name: person.rawValue, password: "a password of a test", to: DistantCloud.place, from: nil
    ).webToken
  }
  let port = try #require(URL(string: server.address)?.port.flatMap { UInt16(exactly: $0) })
  let proxy = try FaultyProxy(to: port)
  defer { proxy.close() }
  do {
    try await body(
      DistantCloud(
        server: server, proxy: proxy, files: files, apiToken: apiToken, webTokens: webTokens))
  } catch {
    Issue.record(error)
  }
  proxy.close()
  #expect(await server.shutdown(within: .seconds(20)) == 0, "A connection was left.")
}

/// A transport with a connection for each request, so that a proxy's plan has a fault for each.
struct ConnectionForEachRequest: CloudTransport {
  let base: CurlTransport

  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    try await base.send(request.alone)
  }

  func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse {
    try await base.download(request.alone, to: path, progress: progress)
  }

  func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    try await base.open(request.alone)
  }
}

extension TransportRequest {
  fileprivate var alone: TransportRequest {
    var request = self
    request.headers.append(("Connection", "close"))
    return request
  }
}
