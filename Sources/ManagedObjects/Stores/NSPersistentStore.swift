public import Foundation
import ManagedObjectModel
package import ObjectRows
import SQLiteStore

/// A store in which a coordinator persists objects: a database file, a document, or memory.
///
/// Coordinators create stores when a program adds them. There is no other way to create one. To
/// persist objects in a form of your own, subclass ``NSAtomicStore`` or ``NSIncrementalStore``, and
/// register the class with the coordinator.
open class NSPersistentStore: NSObject {
  private struct State {
    var url: URL?
    var isReadOnly: Bool
    var open: OpenStore?
    /// The type under which the store was added.
    var type = ""
    /// The metadata, if the store's class keeps it.
    var ownMetadata: [String: Any]?
    weak var coordinator: NSPersistentStoreCoordinator?
  }

  private let state: LockedBox<State>
  private let givenOptions: [AnyHashable: Any]?
  private let configuration: String?
  /// The identity and references of the rows, if the store's class identifies them.
  final let references = CustomStoreReferences()

  /// Creates a store that is not open.
  ///
  /// Coordinators call this initializer.
  public init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
    at url: URL,
    options: [AnyHashable: Any]? = nil
  ) {
    configuration = name
    givenOptions = options
    state = LockedBox(
      State(url: url, isReadOnly: GivenOptions(options).isReadOnly, coordinator: root))
    super.init()
  }

  /// Creates a store for a coordinator, through the initializer that subclasses override.
  ///
  /// Every subclass inherits this initializer, so a coordinator can call it for a class that is
  /// known only at run time.
  public required convenience init(_opening opening: _StoreOpening) {
    self.init(
      persistentStoreCoordinator: opening.coordinator, configurationName: opening.configuration,
      at: opening.url, options: opening.options)
    setType(opening.type)
  }

  /// The open store that the coordinator and its contexts use; nil if the store is not open.
  var open: OpenStore? { state.withLock { $0.open } }

  /// The row store, for layers outside the object graph; nil if the store is not open.
  package var rowStore: (any RowStore)? { open?.rowStore }

  /// The coordinator that the store belongs to.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    state.withLock { $0.coordinator }
  }

  /// The type of the store, such as `NSSQLiteStoreType`.
  open var type: String { state.withLock { $0.type } }

  /// The name of the model's configuration whose entities the store persists.
  open var configurationName: String { configuration ?? NSPersistentStore.defaultConfigurationName }

  /// The name of the default configuration, which has all entities.
  static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

  /// The options with which the store was added.
  open var options: [AnyHashable: Any]? { givenOptions }

  /// The URL of the store.
  open var url: URL? {
    get { state.withLock { $0.url } }
    set { state.withLock { $0.url = newValue } }
  }

  /// The UUID of the store.
  open var identifier: String! {
    get { keepsMetadata ? metadata?[NSStoreUUIDKey] as? String : open?.identity.uuid }
    set {
      guard let newValue else { return }
      var changed: [String: Any] = metadata ?? [:]
      changed[NSStoreUUIDKey] = newValue
      metadata = changed
    }
  }

  /// Whether the store is read-only.
  open var isReadOnly: Bool {
    get { state.withLock { $0.isReadOnly } }
    set {
      state.withLock { $0.isReadOnly = newValue }
      open?.isReadOnly = newValue
    }
  }

  /// The store's metadata, including its UUID and type; nil if it cannot be read.
  ///
  /// Entries of the framework, such as the version hashes, stay if new metadata lacks them.
  open var metadata: [String: Any]! {
    get {
      guard keepsMetadata else { return open.flatMap { try? $0.metadata(type: type) } }
      return state.withLock { $0.ownMetadata }
    }
    set {
      guard keepsMetadata else { return setMetadataOfFile(newValue ?? [:]) }
      setOwnMetadata(newValue ?? [:])
    }
  }

  /// Loads the metadata.
  ///
  /// A subclass of ``NSIncrementalStore`` sets `metadata` to a dictionary with the store's UUID and
  /// type. The other stores of this library load their metadata when they are added.
  open func loadMetadata() throws {}

  /// Returns the metadata of a store that need not be open.
  ///
  /// The class of a custom store overrides this method. The coordinator calls it for the store's
  /// type.
  open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    throw MissingOverride.metadata(of: self)
  }

  /// Replaces the metadata of a store that is not open.
  ///
  /// The class of a custom store overrides this method. The coordinator calls it for the store's
  /// type.
  open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
    throw MissingOverride.settingMetadata(of: self)
  }

  /// Returns the class of the managers that migrate stores of this class.
  ///
  /// A coordinator migrates SQLite stores only, with `NSMigrationManager`.
  open class func migrationManagerClass() -> AnyClass { NSMigrationManager.self }

  /// Called after the store was added to a coordinator.
  open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

  /// Called before the store is removed from its coordinator.
  open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

  /// The type and URL of the store.
  open override var description: String {
    "<\(Swift.type(of: self)): \(type) store \(identifier ?? "without a UUID") at \(url?.absoluteString ?? "no place")>"
  }

  /// Whether objects of this class keep the metadata.
  ///
  /// Otherwise the open store keeps it.
  var keepsMetadata: Bool { false }

  /// Writes metadata to the file of an open store; the former metadata stays if that fails.
  private func setMetadataOfFile(_ metadata: [String: Any]) {
    do {
      try open?.setMetadata(metadata)
    } catch {
      LogLine.warn("The metadata of the store \(url?.path ?? "") was not changed. \(error)")
    }
  }

  private func setOwnMetadata(_ metadata: [String: Any]) {
    let type = type
    state.withLock { state in
      var metadata = metadata
      // A store without its UUID and type could not be found again.
      metadata[NSStoreUUIDKey] = metadata[NSStoreUUIDKey] ?? state.ownMetadata?[NSStoreUUIDKey]
      metadata[NSStoreTypeKey] = metadata[NSStoreTypeKey] ?? type
      metadata.keepFrameworkEntries(of: state.ownMetadata ?? [:])
      state.ownMetadata = metadata
    }
  }

  private func setType(_ type: String) { state.withLock { $0.type = type } }

  /// Makes this object the public counterpart of a store that a coordinator opened.
  func attach(_ open: OpenStore, type: String) {
    state.withLock {
      $0.open = open
      $0.type = type
      $0.isReadOnly = open.isReadOnly
    }
    open.persistentStore = self
  }

  func attach(to coordinator: NSPersistentStoreCoordinator?) {
    state.withLock { $0.coordinator = coordinator }
  }

  /// Releases the open store.
  func detach() {
    state.withLock {
      $0.open = nil
      $0.coordinator = nil
    }
  }
}
