import CloudRecords
public import Foundation

// Sendable: immutable.
/// A program's place in the cloud: three databases, and the user's account.
///
/// ```swift
/// let container = CKContainer(identifier: "iCloud.com.example.notes")
/// guard try await container.accountStatus() == .available else { … }
/// let record = try await container.privateCloudDatabase.save(note)
/// ```
///
/// Where the container is, ``configure(_:)`` says.
open class CKContainer: NSObject, @unchecked Sendable {
  /// The name of the container; nil for the default one of a program that has bound none.
  public let containerIdentifier: String?

  /// How operations ask that do not say themselves.
  let configuration: CKOperation.Configuration?
  /// What the container is bound to; nil where the registry knows.
  private let ownBinding: ContainerBinding?

  /// The container with a name.
  public convenience init(identifier containerIdentifier: String) {
    self.init(containerIdentifier, nil, nil)
  }

  /// A container that is bound to a server, whatever the registry knows of its name.
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

  /// The container that the program has bound first.
  public class func `default`() -> CKContainer {
    CKContainer(ContainerRegistry.shared.defaultIdentifier, nil, nil)
  }

  // MARK: Databases

  /// What belongs to whoever is signed in.
  open var privateCloudDatabase: CKDatabase { database(with: .private) }

  /// What everybody sees.
  open var publicCloudDatabase: CKDatabase { database(with: .public) }

  /// What others share with whoever is signed in.
  open var sharedCloudDatabase: CKDatabase { database(with: .shared) }

  /// One of the three databases.
  open func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
    CKDatabase(self, databaseScope, configuration)
  }

  // MARK: Operations

  /// Begins an operation that is about no database, once those are done that it depends on.
  open func add(_ operation: CKOperation) {
    operation.addingContainer = self
    CKOperation.queue.addOperation(operation)
  }

  /// Lends a container whose methods ask as a configuration and a group say; what they leave open
  /// is as this one asks.
  open func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (_ container: CKContainer) async throws -> R
  ) async rethrows -> R {
    try await body(configured(configuration, group))
  }

  /// Lends a container whose methods ask as a configuration and a group say; what they leave open
  /// is as this one asks.
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

  /// The session of whoever is signed in.
  package func session() throws(CKError) -> CloudSession {
    try binding().session()
  }

  /// Where the container is.
  package func binding() throws(CKError) -> ContainerBinding {
    if let ownBinding { return ownBinding }
    return try ContainerRegistry.shared.binding(of: containerIdentifier)
  }

  /// Whether a notification of a changed account is about this container.
  package func isConcerned(by notification: Notification) -> Bool {
    guard let changed = notification.userInfo?[ContainerBinding.bindingKey] as? ObjectIdentifier,
      let own = try? binding()
    else { return true }
    return changed == ObjectIdentifier(own)
  }

  /// What asks about users and shares, which is done in the public database's name.
  func work() throws(CKError) -> DatabaseWork {
    var work = DatabaseWork(session: try session(), scope: .public)
    if let configuration {
      work.options = CallOptions(configuration, at: work.session.dependencies.steady())
    }
    return work
  }

  /// Containers are equal when they have one name and are bound to the same server.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKContainer else { return false }
    return other.containerIdentifier == containerIdentifier && other.ownBinding === ownBinding
  }

  /// Equal containers have equal hashes.
  open override var hash: Int { containerIdentifier.hashValue }

  /// The name of the container.
  open override var description: String { "<CKContainer: \(containerIdentifier ?? "default")>" }
}
