package import ObjectRows
import Synchronization

/// Detects the saves of one store: its coordinator reports its own saves, and saves of others are
/// found in the store's files.
///
/// The monitor counts saves, so that each change is reported once, even if several checks find it.
package final class RemoteChangeMonitor: Sendable {
  /// Saves that were detected together.
  package struct Change: Equatable, Sendable {
    /// The count before.
    package let former: Int64
    /// The count now: the latest transaction number, if the store keeps a history.
    package let latest: Int64
    /// Whether another coordinator or process saved, too.
    package let isByOthers: Bool

    package init(former: Int64, latest: Int64, isByOthers: Bool) {
      self.former = former
      self.latest = latest
      self.isByOthers = isByOthers
    }
  }

  /// The notification's key for whether another coordinator or process saved, too.
  ///
  /// Higher layers use it.
  package static let isByOthersKey = "ParhelionIsByOthers"

  private struct State {
    var count: Int64
    /// The number of this coordinator's current saves.
    var saving = 0
    /// The number of this coordinator's saves that were not reported yet.
    var own: Int64 = 0
    var observation: (any FileObservation)?
    var isEnded = false
  }

  private let counter: any SaveCounter
  private let state: Mutex<State>
  /// Held from a check until its change is reported, so that changes are reported in order.
  private let reporting = Mutex(())
  private let report: @Sendable (Change) -> Void

  /// Starts observing.
  ///
  /// - Parameter report: Called once for each change, in order, on a saving thread or the
  ///   observer's. It must not save.
  package init(
    _ store: any ObservedStore, observer: any FileObserver,
    report: @escaping @Sendable (Change) -> Void
  ) throws {
    let counter = try store.makeSaveCounter()
    self.counter = counter
    self.report = report
    state = Mutex(State(count: try counter.count()))
    let files = store.filesWrittenBySaves
    guard !files.isEmpty else { return }
    let observation = try observer.observe(files) { [weak self] in self?.check() ?? false }
    state.withLock { $0.observation = observation }
    // Another coordinator or process may have saved after the saves were counted.
    _ = check()
  }

  /// Whether counts are transaction numbers.
  package var countsTransactions: Bool { counter.countsTransactions }

  /// Called when a save of this coordinator begins.
  package func beginSave() {
    state.withLock { $0.saving += 1 }
  }

  /// Called when a save of this coordinator ends, with or without a commit.
  ///
  /// In both cases it checks for saves of others, because checks were suspended meanwhile.
  package func endSave(isCommitted: Bool) {
    _ = check { state in
      state.saving -= 1
      if isCommitted { state.own += 1 }
    }
  }

  /// Stops observing.
  package func end() {
    let observation = state.withLock { state in
      state.isEnded = true
      defer { state.observation = nil }
      return state.observation
    }
    observation?.end()
    counter.close()
  }

  /// Checks for changes, and returns whether it found any.
  private func check(after record: (inout State) -> Void = { _ in }) -> Bool {
    reporting.withLock { _ in
      let change = state.withLock { state in
        record(&state)
        return takeChange(&state)
      }
      if let change { report(change) }
      return change != nil
    }
  }

  /// Returns the change since the last check; nil if there is none, or during the coordinator's own
  /// saves.
  ///
  /// A check could not distinguish a running save of this coordinator from saves of others.
  private func takeChange(_ state: inout State) -> Change? {
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
