package import CloudTransport
import Foundation
import Synchronization

/// Which containers the program knows, and where they are.
///
/// What the program binds counts. Of a container that it has not bound, the environment tells, or
/// else a configuration file.
package final class ContainerRegistry: Sendable {
  package static let shared = ContainerRegistry { () throws(CKError) in
    try FoundConfigurations.onThisMachine()
  }

  private let state = Mutex(State())
  private let find: @Sendable () throws(CKError) -> FoundConfigurations

  private struct State {
    var bindings: [String: ContainerBinding] = [:]
    /// The first container that was bound.
    var first: String?
    /// What the environment and a file say; nil until somebody needs it.
    var found: FoundConfigurations?
  }

  /// - Parameter find: Looks for what the program has not said.
  package init(find: @escaping @Sendable () throws(CKError) -> FoundConfigurations) {
    self.find = find
  }

  /// Binds a container; a second time takes the place of the first.
  package func bind(_ configuration: CKContainer.Configuration) {
    bind(ContainerBinding(configuration), as: configuration.containerIdentifier)
  }

  /// Binds a container to whatever carries its requests.
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

  /// The name of the default container; nil where there is none, or what there is cannot be read.
  package var defaultIdentifier: String? {
    state.withLock { state in
      if let first = state.first { return first }
      return try? found(&state).defaultIdentifier
    }
  }

  /// - Parameter identifier: The container's name; nil for the default one.
  /// - Throws: What is missing or wrong, and how it is given.
  package func binding(of identifier: String?) throws(CKError) -> ContainerBinding {
    try state.withLock { state throws(CKError) in
      if let name = identifier ?? state.first, let known = state.bindings[name] { return known }
      let found = try found(&state)
      let name = identifier ?? found.defaultIdentifier
      guard
        let configuration = found.configurations.first(where: { $0.containerIdentifier == name })
      else {
        throw Self.unbound(name)
      }
      let made = ContainerBinding(configuration)
      state.bindings[configuration.containerIdentifier] = made
      return made
    }
  }

  /// Looks once; what cannot be read is looked at again, since somebody may mend it.
  private func found(_ state: inout State) throws(CKError) -> FoundConfigurations {
    if let found = state.found { return found }
    let found = try find()
    state.found = found
    return found
  }

  private static func unbound(_ name: String?) -> CKError {
    CKError(
      .missingEntitlement,
      "The container \(name ?? "of the program") is bound to no server. Call CKContainer.configure(_:), set PARHELION_CONTAINER and PARHELION_SERVER, or describe it in a file: ~/.config/parhelion/cloud.json, or the one that PARHELION_CONFIGURATION names."
    )
  }
}
