package import CloudRecords
import SQLiteDriver

extension LedgerStateKey {
  /// The changes that a restored server lost from the listed zone (`LostHistory`).
  package static let lostHistory = Self("lostHistory")
}

extension Ledger {
  /// The changes that a restored server lost from the listed zone; nil if it lost none.
  package func lostHistory() throws -> LostHistory? {
    guard case .text(let text)? = try state(.lostHistory) else { return nil }
    return LostHistory(text: text)
  }
}
