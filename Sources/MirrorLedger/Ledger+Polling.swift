import Foundation
package import MirrorModel
package import SQLiteDriver

extension LedgerStateKey {
  /// The latest time at which a record of a type was changed, by the server's clock, in seconds
  /// since 2001.
  package static func polledUntil(_ type: String) -> Self { Self("polledUntil.\(type)") }
  /// When that was noted, while records may still come late behind it.
  fileprivate static func polledAt(_ type: String) -> Self { Self("polledAt.\(type)") }
}

extension PollingPlace {
  /// The place as it is noted.
  package func state(of type: String) -> [LedgerStateKey: SQLiteDriver.Value] {
    func value(_ date: Date?) -> SQLiteDriver.Value {
      date.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null
    }
    return [.polledUntil(type): value(until), .polledAt(type): value(noted)]
  }

  /// The places of types as they are noted where nothing is known.
  package static func forgetting(_ types: [String]) -> [LedgerStateKey: SQLiteDriver.Value] {
    types.reduce(into: [:]) { state, type in state.merge(PollingPlace().state(of: type)) { $1 } }
  }
}

extension Ledger {
  /// Up to where the records of a type are known.
  package func pollingPlace(of type: String) throws -> PollingPlace {
    PollingPlace(until: try date(.polledUntil(type)), noted: try date(.polledAt(type)))
  }
}
