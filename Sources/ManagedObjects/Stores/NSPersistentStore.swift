public import Foundation
package import ObjectRows

/// A place in which a coordinator keeps objects: a database file, or memory.
///
/// Coordinators make stores when they are asked to add them; there is no other way to get one.
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

  /// A store that is not open yet.
  ///
  /// Coordinators call it.
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

  /// The face of a store that a coordinator opened.
  init(open: OpenStore, type: String, url: URL?, options: [AnyHashable: Any]?) {
    storeType = type
    configuration = open.configurationName
    givenOptions = options
    state = LockedBox(State(url: url, isReadOnly: open.isReadOnly, open: open))
    super.init()
    open.persistentStore = self
  }

  /// What the coordinator and its contexts work with; nil for a store that is not open.
  var open: OpenStore? { state.withLock { $0.open } }

  /// What keeps the rows, for layers that work beside the object graph; nil for a store that is not
  /// open.
  package var rowStore: (any RowStore)? { open?.rowStore }

  /// The coordinator that the store belongs to.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    state.withLock { $0.coordinator }
  }

  /// The type of the store, such as `NSSQLiteStoreType`.
  open var type: String { storeType }

  /// The name of the configuration of the model that says which entities are kept here.
  open var configurationName: String { configuration ?? NSPersistentStore.defaultConfigurationName }

  /// The name that the configuration of all entities has.
  static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

  /// The options that the store was added with.
  open var options: [AnyHashable: Any]? { givenOptions }

  /// Where the store is.
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

  /// Whether the store refuses changes.
  open var isReadOnly: Bool {
    get { state.withLock { $0.isReadOnly } }
    set {
      state.withLock { $0.isReadOnly = newValue }
      open?.isReadOnly = newValue
    }
  }

  /// What the store says about itself, its UUID and type included.
  ///
  /// A store whose metadata cannot be read has none.
  open var metadata: [String: Any]! {
    get { open.flatMap { try? $0.metadata(type: type) } }
    set { try? open?.setMetadata(newValue ?? [:]) }
  }

  /// Reads the metadata.
  ///
  /// The stores of this library have read them when they are added.
  open func loadMetadata() throws {}

  /// Called after the store was added to a coordinator.
  open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

  /// Called before the store is removed from its coordinator.
  open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

  /// The type and the place of the store.
  open override var description: String {
    "<\(Swift.type(of: self)): \(type) store \(identifier ?? "without a UUID") at \(url?.absoluteString ?? "no place")>"
  }

  func attach(to coordinator: NSPersistentStoreCoordinator?) {
    state.withLock { $0.coordinator = coordinator }
  }

  /// Lets go of what keeps the store open.
  func detach() {
    state.withLock {
      $0.open = nil
      $0.coordinator = nil
    }
  }
}
