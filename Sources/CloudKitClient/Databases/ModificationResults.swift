import Synchronization

/// Collects the results of saved and deleted items.
final class ModificationResults<Name: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias All = (
    saveResults: [Name: Result<Value, any Error>], deleteResults: [Name: Result<Void, any Error>]
  )

  private let state = Mutex(State())

  private struct State {
    var saved: [Name: Result<Value, any Error>] = [:]
    var deleted: [Name: Result<Void, any Error>] = [:]
  }

  @Sendable func addSaved(_ name: Name, _ result: Result<Value, CKError>) {
    state.withLock { $0.saved[name] = result.plain }
  }

  @Sendable func addDeleted(_ name: Name, _ result: Result<Void, CKError>) {
    state.withLock { $0.deleted[name] = result.plain }
  }

  var all: All { state.withLock { ($0.saved, $0.deleted) } }

  /// Runs the work and returns all results.
  ///
  /// An error is thrown only if nothing succeeded. Otherwise it would hide the saved items. The
  /// results of the failed items contain the error.
  func collect(_ work: () async throws -> Void) async throws -> All {
    do {
      try await work()
    } catch {
      guard all.saveResults.hasSuccess() || all.deleteResults.hasSuccess() else { throw error }
    }
    return all
  }
}

/// Fetches items by their names and returns a result for each.
///
/// If fetching fails midway, the remaining items get the error as their result. If nothing
/// succeeded, the error is thrown.
func results<Name: Hashable, Value>(
  for names: [Name], _ ask: ((Name, Result<Value, CKError>) -> Void) async throws -> Void
) async throws -> [Name: Result<Value, any Error>] {
  var results: [Name: Result<Value, any Error>] = [:]
  do {
    try await ask { results[$0] = $1.plain }
  } catch {
    guard results.hasSuccess() else { throw error }
    for name in names where results[name] == nil { results[name] = .failure(error) }
  }
  return results
}

extension Dictionary {
  fileprivate func hasSuccess<Success, Failure>() -> Bool where Value == Result<Success, Failure> {
    values.contains { if case .success = $0 { true } else { false } }
  }
}
