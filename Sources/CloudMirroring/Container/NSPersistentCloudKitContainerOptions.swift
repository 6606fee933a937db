public import CloudKitClient
public import Foundation

/// The CloudKit container and database that a store is mirrored with.
///
/// ```swift
/// let description = NSPersistentStoreDescription(url: file)
/// description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
///   containerIdentifier: "iCloud.com.example.notes")
/// ```
open class NSPersistentCloudKitContainerOptions: NSObject {
  /// The identifier of the CloudKit container.
  public let containerIdentifier: String

  /// The database to mirror.
  ///
  /// The default is the private database.
  ///
  /// A store with the shared database has the objects that others share with the user. A public
  /// database is polled every 30 minutes, and whenever the program calls `sync()`.
  open var databaseScope: CKDatabase.Scope = .private

  /// The container that was passed; nil if an identifier was passed.
  package let ownContainer: CKContainer?

  /// Whether steps run by themselves; a simulation runs each of them.
  package var isAutomatic = true

  /// The sizes of the engine's transfers.
  package var sizes = TransferSizes()

  /// The wrong decisions that a simulation plants in the engine; nil in programs.
  package var plantedBugs: PlantedBugs?

  /// Receives the log lines in a test, instead of standard error; nil in programs.
  package var logging: MirrorLogging?

  /// Creates options for a container that the program has configured.
  public init(containerIdentifier: String) {
    self.containerIdentifier = containerIdentifier
    ownContainer = nil
    super.init()
  }

  /// Creates options for an existing container.
  ///
  /// Parhelion's addition: with `CloudKitTesting`, each device of a test has its own container.
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

  /// A description of the container and the database.
  open override var description: String {
    "<NSPersistentCloudKitContainerOptions: \(databaseScope) of \(containerIdentifier)>"
  }
}
