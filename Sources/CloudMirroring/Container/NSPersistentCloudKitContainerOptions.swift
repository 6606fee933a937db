public import CloudKitClient
public import Foundation

/// With which container of the cloud a store is mirrored, and with which of its databases.
///
/// ```swift
/// let description = NSPersistentStoreDescription(url: file)
/// description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
///   containerIdentifier: "iCloud.com.example.notes")
/// ```
open class NSPersistentCloudKitContainerOptions: NSObject {
  /// The name of the container.
  public let containerIdentifier: String

  /// Which of the container's databases: the private one, unless it is set.
  ///
  /// A store of a shared database is not opened: sharing of mirrored objects comes later. A public
  /// database tells nobody of its changes: it is asked every half an hour, and when the program
  /// wants it.
  open var databaseScope: CKDatabase.Scope = .private

  /// The container itself, where a test or a simulation has one of its own.
  package let ownContainer: CKContainer?

  /// Whether steps are done by themselves; a simulation does each of them by hand.
  package var isAutomatic = true

  /// Where a simulation breaks the engine on purpose; nil in programs.
  package var seam: MirrorSeam?

  /// Receives the lines that a test reads instead of standard error; nil in programs.
  package var logging: MirrorLogging?

  /// Options for a container that the program has bound to a server.
  public init(containerIdentifier: String) {
    self.containerIdentifier = containerIdentifier
    ownContainer = nil
    super.init()
  }

  /// Options for a container that is at hand.
  ///
  /// Parhelion's addition: with `CloudKitTesting` each device of a test has a container of its own.
  public init(container: CKContainer) {
    containerIdentifier = container.containerIdentifier ?? ""
    ownContainer = container
    super.init()
  }

  /// The container.
  package var container: CKContainer {
    ownContainer ?? CKContainer(identifier: containerIdentifier)
  }

  /// Whether the other options name the same database of the same container.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPersistentCloudKitContainerOptions else { return false }
    return containerIdentifier == other.containerIdentifier && databaseScope == other.databaseScope
      && ownContainer === other.ownContainer
  }

  /// Equal options have equal hashes.
  open override var hash: Int { containerIdentifier.hashValue &+ databaseScope.rawValue }

  /// The container and its database.
  open override var description: String {
    "<NSPersistentCloudKitContainerOptions: \(databaseScope) of \(containerIdentifier)>"
  }
}
