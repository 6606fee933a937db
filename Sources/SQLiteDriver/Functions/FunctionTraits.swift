internal import CSQLite

/// What SQLite may assume about a registered function.
package struct FunctionTraits: OptionSet, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// The same arguments always give the same result.
  ///
  /// Allows constant folding, and use in indexes and derived columns.
  package static let deterministic = FunctionTraits(rawValue: SQLITE_DETERMINISTIC)

  /// Never called from a trigger, a view or the schema: for functions with effects outside the
  /// database.
  package static let directOnly = FunctionTraits(rawValue: SQLITE_DIRECTONLY)

  /// Harmless whoever calls it, and so allowed in the schema of a file that is not trusted.
  package static let innocuous = FunctionTraits(rawValue: SQLITE_INNOCUOUS)
}
