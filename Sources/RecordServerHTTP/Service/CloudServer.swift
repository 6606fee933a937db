package import AssetStorage
package import CloudRecords
package import HTTPServer
package import RecordServer
package import RecordStorage
internal import Synchronization

/// A whole server: a storage, what is meant by it, and the sockets.
///
///     let server = try await CloudServer.start(on: MemoryStorageEngine())
///     print(server.address)
///     …
///     await server.shutdown(within: .seconds(30))
package final class CloudServer: Sendable {
  /// What an operator decides.
  package struct Configuration: Sendable {
    package var http = HTTPServer.Configuration()
    package var accounts = AccountSettings()
    package var service = RecordService.Settings()
    package var limits = ServiceLimits()
    /// Whether local programs may name development users while only this machine reaches the
    /// server.
    package var wantsDevelopmentUsers = false
    /// Where the keys of encrypted values come from.
    package var sealing = ValueSealer.Source()
    /// How long a device waits in vain before it gets an answer, and a request for memory: between
    /// one and two of these.
    ///
    /// Radios forget connections that are silent for about a minute, and common proxies after 30 or
    /// 20 seconds.
    package var round = Duration.milliseconds(7_500)
    /// How often the server does what is due behind its requests.
    package var chores = Duration.seconds(60)
    /// Where the files of records lie; nil where the server takes none.
    package var files: String?
    /// How the folder is used.
    package var fileOptions = AssetStore.Options()
    /// How often files that nobody needs are looked for.
    package var collectionSeconds = 60

    package init() {}

    /// Whether requests may name development users: the operator wants it, and only this machine
    /// reaches the server.
    package var allowsDevelopmentUsers: Bool {
      wantsDevelopmentUsers && SocketAddress(http.host, port: 0)?.isLoopback == true
        && !service.trustsProxy
        && service.publicAddress == nil
    }
  }

  /// Where it listens.
  package let socketAddress: SocketAddress
  /// How clients on this machine reach it: scheme, host and port.
  package let address: String
  /// The administrators' key where it was made now; it cannot be shown again.
  package let newAdministratorKey: String?
  package let service: RecordService
  private let http: HTTPServer
  private let engine: any StorageEngine
  private let hub: PushHub
  private let delivery: Task<Void, Never>
  private let rounds: RepeatingTask
  private let collector: AssetCollector?
  private let chores: MaintenanceScheduler

  private init(
    _ parts: Parts, _ http: HTTPServer, at address: SocketAddress, administratorKey: String?,
    _ configuration: Configuration
  ) {
    (service, hub, engine) = (parts.service, parts.hub, parts.engine)
    self.http = http
    socketAddress = address
    self.address = configuration.address(at: address)
    newAdministratorKey = administratorKey
    let (hub, service) = (hub, service)
    let background = BackgroundExecutor()
    delivery = Task(executorPreference: background) {
      await hub.run(for: service.server) { service.settings.report($0, nil) }
    }
    rounds = RepeatingTask(every: configuration.round) { service.endRound() }
    chores = MaintenanceScheduler(every: configuration.chores, on: background) {
      await service.files?.endSurplusUploads()
      do { try await service.accounts.doChores() } catch {
        if !Task.isCancelled { service.settings.report(error, nil) }
      }
    }
    collector = service.files.map { files in
      AssetCollector(of: files, everySeconds: configuration.collectionSeconds) {
        service.settings.report($0, nil)
      }
    }
  }

  /// Starts a server on a storage, which is its own from now on.
  package static func start(
    on engine: any StorageEngine, _ configuration: Configuration = Configuration()
  ) async throws -> CloudServer {
    let parts = try await Parts(engine, configuration, files: configuration.files)
    let http = HTTPServer(configuration.http(noting: parts.service)) { [service = parts.service] in
      try await service.answer($0)
    }
    parts.service.observe { [weak http] in
      [
        Metrics.Gauge(
          name: "parhelion_connections", help: "Open connections.",
          value: http?.connectionCount ?? 0)
      ]
    }
    let address = try await http.start()
    do {
      // A server that could not listen would have nobody to show it to.
      let key = try await parts.service.accounts.makeFirstAdministratorKey()
      return CloudServer(parts, http, at: address, administratorKey: key, configuration)
    } catch {
      await http.shutdown(within: .zero)
      throw error
    }
  }

  /// The accounts in a server's storage, for commands beside it.
  package static func accounts(on engine: any StorageEngine) async throws -> Accounts {
    try await Parts(engine, Configuration(), files: nil, as: .tool).service.accounts
  }

  /// The files of a server, for commands beside it: backups, and looking for damage.
  package static func files(_ path: String, on engine: any StorageEngine) async throws -> AssetStore
  {
    try await Parts(engine, Configuration(), files: path, as: .tool).service.keeper
  }

  /// What is wrong with the encrypted values in a server's storage, and with their keys.
  package static func sealingProblems(
    on engine: any StorageEngine, _ sealing: ValueSealer.Source, isThorough: Bool
  ) async throws -> [String] {
    var configuration = Configuration()
    configuration.sealing = sealing
    let server = try await Parts(engine, configuration, files: nil, as: .tool).service.server
    return try await server.sealingProblems(isThorough: isThorough)
  }

  /// Finishes the requests that run, and ends: what was acknowledged is stored.
  ///
  /// - Parameter limit: After this time the connections that are left are cut.
  /// - Returns: How many connections had to be cut.
  @discardableResult
  package func shutdown(within limit: Duration) async -> Int {
    service.isStopping.store(true, ordering: .relaxed)
    rounds.stop()
    hub.close()
    let cut = await http.shutdown(within: limit)
    hub.finish()
    await delivery.value
    await chores.stop()
    await collector?.stop()
    service.files?.close()
    await engine.close()
    return cut
  }

  /// Reads the certificate and its key again.
  package func reloadCertificate() throws(HTTPServerError) { try http.reloadCertificate() }
}

extension CloudServer.Configuration {
  /// As the operator wants it, with bodies as long as files may be, and a form around them, and
  /// refusals as errors of the protocol, which are noted.
  fileprivate func http(noting service: RecordService) -> HTTPServer.Configuration {
    var http = http
    if files != nil {
      http.maximumBodyBytes = max(
        http.maximumBodyBytes, Int(clamping: limits.assetBytes) + (1 << 20))
    }
    let (bodyLimit, onEvent) = (http.maximumBodyBytes, http.onEvent)
    http.answerRefusal = { HTTPRejection.Answer($0, bodyLimit: bodyLimit) }
    http.onEvent = { event in
      if case .refused(let refusal, let address) = event {
        service.note(refusal, of: address, bodyLimit: bodyLimit)
      }
      onEvent(event)
    }
    return http
  }

  fileprivate func address(at socket: SocketAddress) -> String {
    if let address = service.publicAddress { return address }
    let scheme = if case .none = http.security { "http" } else { "https" }
    // Every address of the machine is reached by its own.
    let host = ["0.0.0.0", "::"].contains(socket.host) ? "127.0.0.1" : socket.host
    return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(socket.port)"
  }
}
