import Foundation
package import MirrorModel
package import SQLiteDriver

extension LedgerStateKey {
  /// The latest change of a record type, by the server's clock, in seconds since 2001.
  package static func polledUntil(_ type: String) -> Self { Self("polledUntil.\(type)") }
  /// When `polledUntil` was recorded; not set once no late record can appear.
  fileprivate static func polledAt(_ type: String) -> Self { Self("polledAt.\(type)") }
}

extension PollingCursor {
  /// The stored form of the position.
  package func state(of type: String) -> [LedgerStateKey: SQLiteDriver.Value] {
    func value(_ date: Date?) -> SQLiteDriver.Value {
      date.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null
    }
    return [.polledUntil(type): value(until), .polledAt(type): value(noted)]
  }

  /// Returns the stored form of unknown positions.
  package static func forgetting(_ types: [String]) -> [LedgerStateKey: SQLiteDriver.Value] {
    types.reduce(into: [:]) { state, type in state.merge(PollingCursor().state(of: type)) { $1 } }
  }
}

extension Ledger {
  /// Returns the position up to which the records of a type are known.
  package func pollingCursor(of type: String) throws -> PollingCursor {
    PollingCursor(until: try date(.polledUntil(type)), noted: try date(.polledAt(type)))
  }
}
