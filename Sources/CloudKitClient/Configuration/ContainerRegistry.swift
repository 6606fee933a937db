import CloudRecords
package import CloudTransport
import CurlTransport
import Foundation
import Synchronization

/// Which containers the program knows, and where they are.
package final class ContainerRegistry: Sendable {
  package static let shared = ContainerRegistry()

  private let state = Mutex(State())

  private struct State {
    var bindings: [String: ContainerBinding] = [:]
    /// The first container that was bound.
    var first: String?
  }

  /// Binds a container; a second time takes the place of the first.
  func bind(_ configuration: CKContainer.Configuration) {
    bind(ContainerBinding(configuration), as: configuration.containerIdentifier)
  }

  /// Binds a container to whatever carries its requests.
  package func bind(
    _ configuration: CKContainer.Configuration, transport: any CloudTransport,
    surroundings: ClientSurroundings = .machine
  ) {
    let binding = ContainerBinding(configuration, transport: transport, surroundings: surroundings)
    bind(binding, as: configuration.containerIdentifier)
  }

  private func bind(_ binding: ContainerBinding, as identifier: String) {
    state.withLock { state in
      state.bindings[identifier] = binding
      state.first = state.first ?? identifier
    }
  }

  /// The name of the default container; nil where the program has bound none.
  var defaultIdentifier: String? { state.withLock { $0.first } }

  /// - Throws: What is missing, and how it is given.
  func binding(of identifier: String?) throws(CKError) -> ContainerBinding {
    if let identifier, let known = state.withLock({ $0.bindings[identifier] }) { return known }
    throw CKError(
      .missingEntitlement,
      "The container \(identifier ?? "of the program") is bound to no server. Call CKContainer.configure(_:) before it is used."
    )
  }
}

/// A container that is bound to a server, and the session of whoever is signed in.
package final class ContainerBinding: Sendable {
  private let configuration: CKContainer.Configuration
  private let transport: (any CloudTransport)?
  private let surroundings: ClientSurroundings
  private let state = Mutex<CloudSession?>(nil)

  /// - Parameter transport: What carries requests; nil for HTTP.
  package init(
    _ configuration: CKContainer.Configuration, transport: (any CloudTransport)? = nil,
    surroundings: ClientSurroundings = .machine
  ) {
    self.configuration = configuration
    self.transport = transport
    self.surroundings = surroundings
  }

  /// The name of the container.
  var containerIdentifier: String { configuration.containerIdentifier }

  /// The session of whoever is signed in.
  package func session() throws(CKError) -> CloudSession {
    try state.withLock { state throws(CKError) in
      if let state { return state }
      let made = try makeSession(configuration.credentials.cloud)
      state = made
      return made
    }
  }

  private func makeSession(_ credentials: CloudCredentials) throws(CKError) -> CloudSession {
    let address = CloudAddress(
      server: configuration.server.absoluteString,
      container: ContainerAddress(
        container: configuration.containerIdentifier,
        environment: configuration.environment == .development ? .development : .production))
    return try CloudSession(
      address: address, credentials: credentials, transport: openTransport(), surroundings: surroundings)
  }

  private func openTransport() -> any CloudTransport {
    if let transport { return transport }
    var settings = CurlTransport.Settings()
    settings.security.authorityFile = configuration.connection.certificateAuthority?.path
    if let proxy = configuration.connection.proxy { settings.proxy = .server(proxy.absoluteString) }
    return CurlTransport(settings)
  }

  /// Signs somebody in or out, and tells the program.
  package func setCredentials(_ credentials: CloudCredentials) throws(CKError) {
    let made = try makeSession(credentials)
    state.withLock { $0 = made }
    NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
  }
}
