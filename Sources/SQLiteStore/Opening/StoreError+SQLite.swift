package import ObjectRows
package import SQLiteDriver

extension StoreError {
  /// The store's error for a failure of SQLite at a location.
  package init(_ error: SQLiteError, at location: StoreLocation) {
    let general = StoreError(error)
    self.init(
      general.code, Self.message(general, error, location.path),
      context: general.context.merging(["file": location.path]) { first, _ in first },
      underlying: error)
  }

  private static func message(_ general: StoreError, _ error: SQLiteError, _ path: String) -> String
  {
    switch (general.code, error.code.primary) {
    case (.notAStore, .notADatabase): "\(path) is not a SQLite database."
    case (.notAStore, _): "The store \(path) is damaged: \(error)"
    case (.outOfSpace, _): "There is no room on the disk for the store \(path)."
    case (.timeout, _):
      "The store \(path) stayed locked by another connection for longer than its timeout."
    case (.readOnly, _): "The store \(path) cannot be written: \(error)"
    case (.cannotOpen, _): "The store \(path) cannot be opened: \(error)"
    default: "SQLite failed on the store \(path): \(error)"
    }
  }
}
