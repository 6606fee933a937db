internal import CSQLite

/// Properties of a registered function that SQLite relies on.
package struct FunctionTraits: OptionSet, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// The same arguments always give the same result.
  ///
  /// Allows constant folding, and use in indexes and derived columns.
  package static let deterministic = FunctionTraits(rawValue: SQLITE_DETERMINISTIC)

  /// Not callable from a trigger, a view, or the schema: for functions with effects outside the
  /// database.
  package static let directOnly = FunctionTraits(rawValue: SQLITE_DIRECTONLY)

  /// Harmless for every caller, and so allowed in the schema of an untrusted file.
  package static let innocuous = FunctionTraits(rawValue: SQLITE_INNOCUOUS)
}
