import Synchronization

/// Collects what became of things that were saved and deleted.
final class ModificationResults<Name: Hashable & Sendable, Value: Sendable>: Sendable {
  private let state = Mutex(State())

  private struct State {
    var saved: [Name: Result<Value, any Error>] = [:]
    var deleted: [Name: Result<Void, any Error>] = [:]
  }

  @Sendable func noteSaved(_ name: Name, _ result: Result<Value, CKError>) {
    state.withLock { $0.saved[name] = result.plain }
  }

  @Sendable func noteDeleted(_ name: Name, _ result: Result<Void, CKError>) {
    state.withLock { $0.deleted[name] = result.plain }
  }

  var all: (saveResults: [Name: Result<Value, any Error>], deleteResults: [Name: Result<Void, any Error>]) {
    state.withLock { ($0.saved, $0.deleted) }
  }
}
