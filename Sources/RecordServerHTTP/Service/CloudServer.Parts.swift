package import AssetStorage
import Cryptography
package import RecordServer
package import RecordStorage

extension CloudServer {
  /// Completes a restoration of the storage, if there was one.
  ///
  /// Clients then detect that the state they know was replaced. A server calls this when it starts.
  package static func finishRestoration(of engine: any StorageEngine) async throws {
    try await engine.finishRestoration(
      chance: SecureRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// The components of a server before it listens.
  package struct Parts: Sendable {
    package let engine: any StorageEngine
    /// Notifies devices of changes.
    ///
    /// The owner has to run it.
    package let hub = PushHub()
    package let service: RecordService
    /// Wakes the courier of mails.
    let bell = MailBell()

    /// Creates the components on a storage.
    ///
    /// - Parameters:
    ///   - path: The folder of files, or nil to accept no files.
    ///   - role: The process that opens the folder.
    ///   - dependencies: The clock, names and limits, or nil for those of the system.
    package init(
      _ engine: any StorageEngine, _ configuration: Configuration, files path: String?,
      as role: AssetStore.Role = .server, dependencies: ServerDependencies? = nil
    ) async throws {
      self.engine = engine
      if role == .server { try await CloudServer.finishRestoration(of: engine) }
      let report = configuration.service.report
      var dependencies = dependencies ?? .system(limits: configuration.limits) { report($0, nil) }
      if configuration.mailSender != nil {
        dependencies.mailAdded = { [bell] in bell.ring() }
      }
      let tickets = try await AssetTickets.open(engine, dependencies: dependencies)
      var settings = configuration.accounts
      let sealer =
        role == .server
        ? try await ValueSealer.open(
          engine, configuration.sealing, randomBytes: settings.randomBytes)
        : try await ValueSealer.openForTool(engine, configuration.sealing)
      let server = RecordServer(
        engine: engine, dependencies: dependencies, addresses: tickets, receipts: tickets,
        sealer: sealer, listener: hub)
      if settings.signInAddress.isEmpty { settings.signInAddress = Route.Page.signIn.path }
      let accounts = try await Accounts.open(server, settings: settings, verifying: role == .server)
      var files: AssetStore?
      if let path {
        files = try await AssetStore.open(
          path, as: role, server: server, tickets: tickets, options: configuration.fileOptions)
      }
      var service = configuration.service
      service.allowsDevelopmentUsers = configuration.allowsDevelopmentUsers
      self.service = RecordService(accounts: accounts, hub: hub, files: files, settings: service)
    }
  }
}
