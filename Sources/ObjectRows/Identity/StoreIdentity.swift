import Synchronization

/// The identity of the store that an object identifier belongs to.
///
/// Identifiers retain it instead of the store, so that they do not keep a store alive and stay
/// valid after its removal.
package final class StoreIdentity: Sendable {
  private struct State {
    var uuid: String
    weak var store: (any AnyObject & Sendable)?
    var rowNames: (any RowNames)?
  }

  private let state: Mutex<State>

  package init(uuid: String) {
    state = Mutex(State(uuid: uuid))
  }

  /// The store's UUID, which is the host in its objects' URIs.
  package var uuid: String {
    get { state.withLock { $0.uuid } }
    set { state.withLock { $0.uuid = newValue } }
  }

  /// The persistent store, while a coordinator has it.
  package var store: (any AnyObject & Sendable)? {
    get { state.withLock { $0.store } }
    set { state.withLock { $0.store = newValue } }
  }

  /// The names of the store's rows in URIs; nil if URIs contain the keys.
  package var rowNames: (any RowNames)? {
    get { state.withLock { $0.rowNames } }
    set { state.withLock { $0.rowNames = newValue } }
  }
}

/// The names of rows in URIs, for stores that identify their rows by other values than keys.
package protocol RowNames: AnyObject, Sendable {
  /// The name of a row, or nil if the store never had a row with the key.
  func name(of key: Int64, root: String) -> String?
}
