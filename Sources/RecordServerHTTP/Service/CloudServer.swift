package import AssetStorage
package import CloudRecords
package import HTTPServer
package import RecordServer
package import RecordStorage
internal import Synchronization

/// A complete server: a storage, the record server on it, and the HTTP server.
///
///     let server = try await CloudServer.start(on: MemoryStorageEngine())
///     print(server.address)
///     …
///     await server.shutdown(within: .seconds(30))
package final class CloudServer: Sendable {
  /// The settings of an operator.
  package struct Configuration: Sendable {
    package var http = HTTPServer.Configuration()
    package var accounts = AccountSettings()
    package var service = RecordService.Settings()
    package var limits = ServiceLimits()
    /// Whether local programs may name development users while only this machine can reach the
    /// server.
    package var wantsDevelopmentUsers = false
    /// The source of the keys of encrypted values.
    package var sealing = ValueSealer.Source()
    /// The interval after which waiting devices get an empty answer, and waiting requests are
    /// rejected.
    ///
    /// A device or a request waits between one and two rounds. The default keeps this below 20
    /// seconds, after which common proxies drop silent connections. Mobile networks drop them after
    /// about a minute.
    package var round = Duration.milliseconds(7_500)
    /// The interval of maintenance tasks.
    package var maintenanceInterval = Duration.seconds(60)
    /// The folder of the records' files, or nil to accept no files.
    package var files: String?
    /// The options of the folder.
    package var fileOptions = AssetStore.Options()
    /// Sends invitations by mail; nil to send none.
    ///
    /// Their links begin with `service.publicAddress`, or else with the server's own address.
    package var mailSender: (any MailSender)?
    /// The interval of the search for files without references, in seconds.
    package var collectionSeconds = 60

    package init() {}

    /// Whether requests may name development users: the operator allows it, and only this machine
    /// can reach the server.
    package var allowsDevelopmentUsers: Bool {
      wantsDevelopmentUsers && SocketAddress(http.host, port: 0)?.isLoopback == true
        && !service.trustsProxy
        && service.publicAddress == nil
    }
  }

  /// The address on which the server listens.
  package let socketAddress: SocketAddress
  /// The address at which clients on this machine reach the server: scheme, host and port.
  package let address: String
  /// The administrators' key if it was created now.
  ///
  /// It cannot be shown again.
  package let newAdministratorKey: String?
  package let service: RecordService
  private let http: HTTPServer
  private let engine: any StorageEngine
  private let hub: PushHub
  private let delivery: Task<Void, Never>
  private let rounds: RepeatingTask
  private let collector: AssetCollector?
  private let maintenance: MaintenanceScheduler
  private let courier: MailCourier?

  private init(
    _ parts: Parts, _ http: HTTPServer, at address: SocketAddress, administratorKey: String?,
    _ configuration: Configuration
  ) {
    (service, hub, engine) = (parts.service, parts.hub, parts.engine)
    self.http = http
    socketAddress = address
    let ownAddress = configuration.address(at: address)
    self.address = ownAddress
    newAdministratorKey = administratorKey
    let (hub, service) = (hub, service)
    let background = BackgroundExecutor()
    delivery = Task(executorPreference: background) {
      await hub.run(for: service.server) { service.settings.report($0, nil) }
    }
    rounds = RepeatingTask(every: configuration.round) { service.endRound() }
    maintenance = MaintenanceScheduler(every: configuration.maintenanceInterval, on: background) {
      await service.files?.endSurplusUploads()
      do { try await service.accounts.runMaintenance() } catch {
        if !Task.isCancelled { service.settings.report(error, nil) }
      }
    }
    courier = configuration.mailSender.map { sender in
      MailCourier(
        service, sender, server: configuration.service.publicAddress ?? ownAddress,
        on: background)
    }
    parts.bell.connect(courier)
    collector = service.files.map { files in
      AssetCollector(of: files, everySeconds: configuration.collectionSeconds) {
        service.settings.report($0, nil)
      }
    }
  }

  /// Starts a server on a storage, which belongs to the server afterwards.
  package static func start(
    on engine: any StorageEngine, _ configuration: Configuration = Configuration()
  ) async throws -> CloudServer {
    let parts = try await Parts(engine, configuration, files: configuration.files)
    let http = HTTPServer(configuration.http(loggingTo: parts.service)) {
      [service = parts.service] in
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
      // Created after listening, since a server that cannot listen could not show it.
      let key = try await parts.service.accounts.makeFirstAdministratorKey()
      return CloudServer(parts, http, at: address, administratorKey: key, configuration)
    } catch {
      await http.shutdown(within: .zero)
      throw error
    }
  }

  /// The accounts in a server's storage, for commands without a running server.
  ///
  /// Imported schemas may have as many fields as an operator can permit.
  ///
  /// - Parameter report: Receives errors of the storage.
  package static func accounts(
    on engine: any StorageEngine, report: @escaping @Sendable (any Error) -> Void
  ) async throws -> Accounts {
    var configuration = Configuration()
    configuration.limits.fieldsPerRecordType = ServiceLimits.greatestFieldsPerRecordType
    configuration.service.report = { error, _ in report(error) }
    return try await Parts(engine, configuration, files: nil, as: .tool).service.accounts
  }

  /// The files of a server, for backups and checks without a running server.
  package static func files(_ path: String, on engine: any StorageEngine) async throws -> AssetStore
  {
    try await Parts(engine, Configuration(), files: path, as: .tool).service.assetStore
  }

  /// The issues of the encrypted values in a server's storage and of their keys.
  package static func sealingIssues(
    on engine: any StorageEngine, _ sealing: ValueSealer.Source, isThorough: Bool
  ) async throws -> [String] {
    var configuration = Configuration()
    configuration.sealing = sealing
    let server = try await Parts(engine, configuration, files: nil, as: .tool).service.server
    return try await server.sealingIssues(isThorough: isThorough)
  }

  /// Finishes the running requests, and stops the server.
  ///
  /// All acknowledged changes are stored.
  ///
  /// - Parameter limit: The time after which the remaining connections are aborted.
  /// - Returns: The number of aborted connections.
  @discardableResult
  package func shutdown(within limit: Duration) async -> Int {
    service.isStopping.store(true, ordering: .relaxed)
    rounds.stop()
    hub.close()
    let cut = await http.shutdown(within: limit)
    hub.finish()
    await delivery.value
    await maintenance.stop()
    await courier?.stop()
    await collector?.stop()
    service.files?.close()
    await engine.close()
    return cut
  }

  /// Reads the certificate and its key again.
  package func reloadCertificate() throws(HTTPServerError) { try http.reloadCertificate() }
}

extension CloudServer.Configuration {
  /// The operator's configuration of the HTTP server, adapted to the record service.
  ///
  /// If the server accepts files, a body may contain the largest file and a megabyte of form data.
  /// Rejections are logged, and answered as errors of the protocol.
  fileprivate func http(loggingTo service: RecordService) -> HTTPServer.Configuration {
    var http = http
    if files != nil {
      http.maximumBodyBytes = max(
        http.maximumBodyBytes, Int(clamping: limits.assetBytes) + (1 << 20))
    }
    let (bodyLimit, onEvent) = (http.maximumBodyBytes, http.onEvent)
    http.answerRejection = { HTTPRejection.Answer($0, bodyLimit: bodyLimit) }
    http.onEvent = { event in
      if case .rejected(let rejection, let address) = event {
        service.logRejection(rejection, of: address, bodyLimit: bodyLimit)
      }
      onEvent(event)
    }
    return http
  }

  fileprivate func address(at socket: SocketAddress) -> String {
    if let address = service.publicAddress { return address }
    let scheme = if case .none = http.security { "http" } else { "https" }
    // A server that listens on all addresses is reached at the loopback address.
    let host = ["0.0.0.0", "::"].contains(socket.host) ? "127.0.0.1" : socket.host
    return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(socket.port)"
  }
}
