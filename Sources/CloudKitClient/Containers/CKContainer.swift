import CloudRecords
public import Foundation
package import SyncKernel

// Sendable: immutable.
/// An app's container in the cloud, with three databases and the user's account.
///
/// ```swift
/// let container = CKContainer(identifier: "iCloud.com.example.notes")
/// guard try await container.accountStatus() == .available else { … }
/// let record = try await container.privateCloudDatabase.save(note)
/// ```
///
/// A container is bound to a server by ``configure(_:)``.
open class CKContainer: NSObject, @unchecked Sendable {
  /// The container's identifier; nil for the default container if none is bound.
  public let containerIdentifier: String?

  /// The configuration of operations that set none themselves.
  let configuration: CKOperation.Configuration?
  /// The binding; nil if the registry decides.
  private let ownBinding: ContainerBinding?

  /// Creates the container with an identifier.
  public convenience init(identifier containerIdentifier: String) {
    self.init(containerIdentifier, nil, nil)
  }

  /// Creates a container with a given binding, independent of the registry.
  package convenience init(_ binding: ContainerBinding) {
    self.init(binding.containerIdentifier, binding, nil)
  }

  private init(
    _ containerIdentifier: String?, _ binding: ContainerBinding?,
    _ configuration: CKOperation.Configuration?
  ) {
    self.containerIdentifier = containerIdentifier
    self.configuration = configuration
    ownBinding = binding
  }

  /// The default container: the first one that the app has bound, or else the one that environment
  /// variables describe, or else the default one of the configuration file.
  public class func `default`() -> CKContainer {
    CKContainer(ContainerRegistry.shared.defaultIdentifier, nil, nil)
  }

  // MARK: Databases

  /// The private database of the current user.
  open var privateCloudDatabase: CKDatabase { database(with: .private) }

  /// The public database, which all users can access.
  open var publicCloudDatabase: CKDatabase { database(with: .public) }

  /// The shared database, with records that other users share with the current user.
  open var sharedCloudDatabase: CKDatabase { database(with: .shared) }

  /// Returns one of the three databases.
  open func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
    CKDatabase(self, databaseScope, configuration)
  }

  // MARK: Operations

  /// Starts an operation that belongs to no database, after its dependencies.
  open func add(_ operation: CKOperation) {
    operation.addingContainer = self
    CKOperation.queue.addOperation(operation)
  }

  /// Calls a closure with a container that uses a configuration and a group for its methods.
  ///
  /// Unset values come from this container.
  open func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (_ container: CKContainer) async throws -> R
  ) async rethrows -> R {
    try await body(configured(configuration, group))
  }

  /// Calls a closure with a container that uses a configuration and a group for its methods.
  ///
  /// Unset values come from this container.
  open func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (_ container: CKContainer) throws -> R
  ) rethrows -> R {
    try body(configured(configuration, group))
  }

  private func configured(_ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?)
    -> CKContainer
  {
    let own = configuration ?? CKOperation.Configuration()
    let filled = own.filled(from: group?.defaultConfiguration).filled(from: self.configuration)
    return CKContainer(containerIdentifier, ownBinding, filled)
  }

  /// The session of the current account.
  package func session() throws(CKError) -> CloudSession {
    try binding().session()
  }

  package func binding() throws(CKError) -> ContainerBinding {
    if let ownBinding { return ownBinding }
    return try ContainerRegistry.shared.binding(of: containerIdentifier)
  }

  /// Whether an account-change notification concerns this container.
  func isConcerned(by notification: Notification) -> Bool {
    guard let changed = notification.userInfo?[ContainerBinding.bindingKey] as? ObjectIdentifier,
      let own = try? binding()
    else { return true }
    return changed == ObjectIdentifier(own)
  }

  /// Calls a block after notifications that concern this container, until the observer is released.
  package func observe(
    _ name: Notification.Name, _ handler: @escaping @Sendable () -> Void
  ) -> NotificationObserver {
    NotificationObserver(name) { [self] in if isConcerned(by: $0) { handler() } }
  }

  /// Returns the object that performs requests about users and shares, in the public database.
  func work() throws(CKError) -> DatabaseWork {
    var work = DatabaseWork(session: try session(), scope: .public)
    if let configuration {
      work.options = CallOptions(configuration, at: work.session.dependencies.monotonicNow())
    }
    return work
  }

  /// Whether two containers have the same identifier and the same binding.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKContainer else { return false }
    return other.containerIdentifier == containerIdentifier && other.ownBinding === ownBinding
  }

  /// A hash that is the same for equal containers.
  open override var hash: Int { containerIdentifier.hashValue }

  /// The container's identifier.
  open override var description: String { "<CKContainer: \(containerIdentifier ?? "default")>" }
}
