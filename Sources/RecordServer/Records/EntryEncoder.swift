import Dispatch
import Synchronization

/// The forms of the entries that a batch stores, made by two threads.
///
/// The writer has much to store beside the entries. Meanwhile another thread makes their forms,
/// from the last one on; the writer makes those that are not there when it needs them. So a batch
/// waits for hardly any form where a processor is free, and is no slower than with one thread where
/// none is.
///
/// ```
/// 0 ── the writer's ──▶ next ┄┄ nobody's yet ┄┄ end ◀── the other thread's ── count
/// ```
package final class EntryEncoder: Sendable {
  private struct State {
    /// The first form that the writer has not asked for.
    var next = 0
    /// The first form that the other thread makes, or has made.
    var end: Int
    /// What the other thread has made, and the writer has not taken.
    var made: [[UInt8]?]
  }

  private static let queue = DispatchQueue(label: "parhelion.forms")

  private let entries: [StoredEntry]
  private let state: Mutex<State>

  package init(of entries: [StoredEntry]) {
    self.entries = entries
    state = Mutex(State(end: entries.count, made: Array(repeating: nil, count: entries.count)))
    if entries.count >= ServerLimits.entriesForTwoThreads {
      Self.queue.async { self.makeFromTheEnd() }
    }
  }

  /// The form of an entry, which is behind those that were asked for before.
  package func form(at index: Int) -> [UInt8] {
    let made: [UInt8]? = state.withLock { state in
      state.next = index + 1
      defer { state.made[index] = nil }
      return state.made[index]
    }
    return made ?? entries[index].bytes
  }

  private func makeFromTheEnd() {
    while let part = takePart() {
      let forms = part.map { entries[$0].bytes }
      state.withLock { state in
        for (index, form) in zip(part, forms) where index >= state.next { state.made[index] = form }
      }
    }
  }

  private func takePart() -> Range<Int>? {
    state.withLock { state in
      let start = max(state.next, state.end - ServerLimits.entriesMadeAtOnce)
      guard start < state.end else { return nil }
      defer { state.end = start }
      return start..<state.end
    }
  }
}
