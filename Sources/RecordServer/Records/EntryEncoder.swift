import Dispatch
import Synchronization

/// Encodes the entries that a batch stores, on two threads.
///
/// The writer also stores keys and indexes. Meanwhile another thread encodes entries from the end;
/// the writer encodes those that are missing when it needs them. So a batch hardly waits for
/// encoding if a processor is free, and otherwise is as fast as with one thread.
///
/// ```
/// 0 ── the writer's ──▶ next ┄┄ not started ┄┄ end ◀── the other thread's ── count
/// ```
package final class EntryEncoder: Sendable {
  private struct State {
    /// The first entry that the writer has not requested.
    var next = 0
    /// The first entry that the other thread encodes or has encoded.
    var end: Int
    /// The encodings of the other thread that the writer has not taken.
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

  /// The encoding of an entry.
  ///
  /// Indexes must ascend from call to call.
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
      let start = max(state.next, state.end - ServerLimits.entriesEncodedAtOnce)
      guard start < state.end else { return nil }
      defer { state.end = start }
      return start..<state.end
    }
  }
}
