package import CloudTransport
import Foundation
import Synchronization

/// The containers that this process knows, and their bindings.
///
/// Containers that the app binds take precedence. Others are configured by environment variables,
/// or else by a configuration file.
package final class ContainerRegistry: Sendable {
  package static let shared = ContainerRegistry { () throws(CKError) in
    try FoundConfigurations.onThisMachine()
  }

  private let state = Mutex(State())
  private let find: @Sendable () throws(CKError) -> FoundConfigurations

  private struct State {
    var bindings: [String: ContainerBinding] = [:]
    /// The identifier of the first bound container.
    var first: String?
    /// The configurations from environment variables and the file; nil until they are needed.
    var found: FoundConfigurations?
  }

  /// Creates a registry.
  ///
  /// - Parameter find: Reads the environment variables and the configuration file.
  package init(find: @escaping @Sendable () throws(CKError) -> FoundConfigurations) {
    self.find = find
  }

  /// Binds a container, or replaces its binding.
  package func bind(_ configuration: CKContainer.Configuration) {
    bind(ContainerBinding(configuration), as: configuration.containerIdentifier)
  }

  /// Binds a container with a given transport.
  package func bind(
    _ configuration: CKContainer.Configuration, transport: any CloudTransport,
    dependencies: ClientDependencies = .machine
  ) {
    let binding = ContainerBinding(configuration, transport: transport, dependencies: dependencies)
    bind(binding, as: configuration.containerIdentifier)
  }

  private func bind(_ binding: ContainerBinding, as identifier: String) {
    let former = state.withLock { state in
      defer { state.bindings[identifier] = binding }
      state.first = state.first ?? identifier
      return state.bindings[identifier]
    }
    former?.replaced(by: binding)
  }

  /// The identifier of the default container; nil if there is none, or if the configuration cannot
  /// be read.
  package var defaultIdentifier: String? {
    state.withLock { state in
      if let first = state.first { return first }
      return try? found(&state).defaultIdentifier
    }
  }

  /// Returns the binding of a container.
  ///
  /// - Parameter identifier: The container's identifier; nil for the default one.
  /// - Throws: An error that says what is missing or invalid, and how to configure it.
  package func binding(of identifier: String?) throws(CKError) -> ContainerBinding {
    try state.withLock { state throws(CKError) in
      if let name = identifier ?? state.first, let known = state.bindings[name] { return known }
      let found = try found(&state)
      let name = identifier ?? found.defaultIdentifier
      if let name, let known = state.bindings[name] { return known }
      guard
        let configuration = found.configurations.first(where: { $0.containerIdentifier == name })
      else {
        throw Self.unbound(name)
      }
      let created = ContainerBinding(configuration)
      state.bindings[configuration.containerIdentifier] = created
      return created
    }
  }

  /// Reads the configuration once.
  ///
  /// After an error, it is read again, because the user may correct it.
  private func found(_ state: inout State) throws(CKError) -> FoundConfigurations {
    if let found = state.found { return found }
    let found = try find()
    state.found = found
    return found
  }

  private static func unbound(_ name: String?) -> CKError {
    CKError(
      .missingEntitlement,
      "The container \(name ?? "of the program") is not bound to a server. Set PARHELION_CONTAINER and PARHELION_SERVER, or add it to a configuration file: ~/.config/parhelion/cloud.json, or the file that PARHELION_CONFIGURATION names. A program can also call CKContainer.configure(_:)."
    )
  }
}
