import Synchronization

/// Which store an object identifier speaks of.
///
/// Identifiers hold it instead of the store, so that they neither keep a store alive nor lose their
/// meaning when it is removed.
package final class StoreIdentity: Sendable {
  private struct State {
    var uuid: String
    weak var store: (any AnyObject & Sendable)?
  }

  private let state: Mutex<State>

  package init(uuid: String) {
    state = Mutex(State(uuid: uuid))
  }

  /// The store's UUID: the host of its objects' URIs.
  package var uuid: String {
    get { state.withLock { $0.uuid } }
    set { state.withLock { $0.uuid = newValue } }
  }

  /// The persistent store, while a coordinator holds it.
  package var store: (any AnyObject & Sendable)? {
    get { state.withLock { $0.store } }
    set { state.withLock { $0.store = newValue } }
  }
}
