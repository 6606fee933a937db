public import Foundation
package import ObjectRows

/// A store in which a coordinator persists objects: a database file, or memory.
///
/// Coordinators create stores when a program adds them. There is no other way to create one.
open class NSPersistentStore: NSObject {
  private struct State {
    var url: URL?
    var isReadOnly: Bool
    var open: OpenStore?
    weak var coordinator: NSPersistentStoreCoordinator?
  }

  private let state: LockedBox<State>
  /// The store's type, for the classes of this library.
  private let storeType: String
  private let givenOptions: [AnyHashable: Any]?
  private let configuration: String?

  /// Creates a store that is not open.
  ///
  /// Coordinators call this initializer.
  public init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
    at url: URL,
    options: [AnyHashable: Any]? = nil
  ) {
    storeType = ""
    configuration = name
    givenOptions = options
    state = LockedBox(
      State(url: url, isReadOnly: GivenOptions(options).isReadOnly, coordinator: root))
    super.init()
  }

  /// Creates the public counterpart of a store that a coordinator opened.
  init(open: OpenStore, type: String, url: URL?, options: [AnyHashable: Any]?) {
    storeType = type
    configuration = open.configurationName
    givenOptions = options
    state = LockedBox(State(url: url, isReadOnly: open.isReadOnly, open: open))
    super.init()
    open.persistentStore = self
  }

  /// The open store that the coordinator and its contexts use; nil if the store is not open.
  var open: OpenStore? { state.withLock { $0.open } }

  /// The row store, for layers beside the object graph; nil if the store is not open.
  package var rowStore: (any RowStore)? { open?.rowStore }

  /// The coordinator that the store belongs to.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    state.withLock { $0.coordinator }
  }

  /// The type of the store, such as `NSSQLiteStoreType`.
  open var type: String { storeType }

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
    get { open?.identity.uuid }
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
  open var metadata: [String: Any]! {
    get { open.flatMap { try? $0.metadata(type: type) } }
    set { try? open?.setMetadata(newValue ?? [:]) }
  }

  /// Loads the metadata.
  ///
  /// Stores of this library have loaded it when they are added.
  open func loadMetadata() throws {}

  /// Called after the store was added to a coordinator.
  open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

  /// Called before the store is removed from its coordinator.
  open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

  /// The type and URL of the store.
  open override var description: String {
    "<\(Swift.type(of: self)): \(type) store \(identifier ?? "without a UUID") at \(url?.absoluteString ?? "no place")>"
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
