package import ObjectRows
import Synchronization

/// Notices the saves of one store: those that this process makes by the store itself, and those of
/// others by its files.
///
/// It counts saves, so that each change is told once, however often it is looked for.
package final class RemoteChangeMonitor: Sendable {
  /// Saves that were noticed together.
  package struct Change: Equatable, Sendable {
    /// The count before.
    package let former: Int64
    /// The count now: the number of the latest transaction, where the store keeps a history.
    package let latest: Int64
    /// Whether somebody else saved among others.
    package let isByOthers: Bool

    package init(former: Int64, latest: Int64, isByOthers: Bool) {
      self.former = former
      self.latest = latest
      self.isByOthers = isByOthers
    }
  }

  /// The key of a notification under which it says whether somebody else saved, for the layers
  /// above.
  package static let isByOthersKey = "ParhelionIsByOthers"

  private struct State {
    var count: Int64
    /// How many saves of this process are under way.
    var saving = 0
    /// How many of this process's saves are not told yet.
    var own: Int64 = 0
    var watch: (any FileWatch)?
    var isEnded = false
  }

  private let counter: any SaveCounter
  private let state: Mutex<State>
  /// Held from a look until its change is told, so that changes are told in their order.
  private let telling = Mutex(())
  private let report: @Sendable (Change) -> Void

  /// Begins to watch.
  ///
  /// - Parameter report: Called once for each change, in their order, on the thread of a save or on
  ///   the watcher's. It does not save.
  package init(
    _ store: any ObservedStore, watcher: any FileWatcher,
    report: @escaping @Sendable (Change) -> Void
  ) throws {
    let counter = try store.makeSaveCounter()
    self.counter = counter
    self.report = report
    state = Mutex(State(count: try counter.count()))
    let files = store.filesWrittenBySaves
    guard !files.isEmpty else { return }
    let watch = try watcher.watch(files) { [weak self] in self?.look() ?? false }
    state.withLock { $0.watch = watch }
    // Somebody may have saved since the saves were counted.
    _ = look()
  }

  /// Whether counts are numbers of transactions.
  package var countsTransactions: Bool { counter.countsTransactions }

  /// A save of this process begins.
  package func beginSave() {
    state.withLock { $0.saving += 1 }
  }

  /// A save of this process ended: with a commit, or without.
  ///
  /// Either way it looks: what others saved meanwhile was not looked for.
  package func endSave(isCommitted: Bool) {
    _ = look { state in
      state.saving -= 1
      if isCommitted { state.own += 1 }
    }
  }

  /// Stops watching.
  package func end() {
    let watch = state.withLock { state in
      state.isEnded = true
      defer { state.watch = nil }
      return state.watch
    }
    watch?.end()
    counter.close()
  }

  /// Whether something new was found.
  private func look(after note: (inout State) -> Void = { _ in }) -> Bool {
    telling.withLock { _ in
      let change = state.withLock { state in
        note(&state)
        return takeNews(&state)
      }
      if let change { report(change) }
      return change != nil
    }
  }

  /// While this process saves nothing is looked for, since its own saves could not be told from
  /// others'.
  private func takeNews(_ state: inout State) -> Change? {
    guard !state.isEnded, state.saving == 0, let count = try? counter.count(), count != state.count
    else { return nil }
    let saves = counter.countsTransactions ? count - state.count : max(1, state.own)
    defer {
      state.count = count
      state.own = 0
    }
    return Change(former: state.count, latest: count, isByOthers: saves != state.own)
  }
}
