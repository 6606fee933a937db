import Foundation
import PredicateLanguage
package import SQLiteDriver
import TextMatching

/// The functions that the triggers of a store call.
///
/// A store's schema is not trusted, so each is registered as innocuous. A connection without them
/// cannot write a store with derived attributes.
package enum StoreFunctions {
  /// The functions by which triggers report a row with a new derived value, after an insertion and
  /// after another change.
  static let insertionNoticeName = "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"
  static let updateNoticeName = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
  static let nowName = "NSCoreDataNow"

  /// A row to which a trigger gave a derived value.
  package struct DerivedChange: Hashable, Sendable {
    package let table: String
    package let entityNumber: Int64
    package let key: Int64
    package let attribute: String
  }
}

/// Registers the functions by which triggers report derived values.
///
/// - Parameter onChange: Called for every row with a new derived value, while the statement runs.
func registerDerivedNotices(
  on connection: Connection, _ onChange: ((StoreFunctions.DerivedChange) -> Void)?
) throws(SQLiteError) {
  for name in [StoreFunctions.insertionNoticeName, StoreFunctions.updateNoticeName] {
    try connection.register(function: name, arity: .exactly(5), traits: .innocuous) { arguments in
      guard let onChange, let table = arguments.text(at: 0), let attribute = arguments.text(at: 3)
      else {
        return .null
      }
      onChange(
        StoreFunctions.DerivedChange(
          table: table, entityNumber: arguments.int64(at: 1), key: arguments.int64(at: 2),
          attribute: attribute))
      return .null
    }
  }
}

/// Registers the functions that a store's triggers call.
///
/// - Parameter onDerivedChange: Called for every row with a new derived value, while the statement
///   runs.
package func registerStoreFunctions(
  on connection: Connection, onDerivedChange: ((StoreFunctions.DerivedChange) -> Void)? = nil
) throws(SQLiteError) {
  try registerDerivedNotices(on: connection, onDerivedChange)
  try connection.register(function: StoreFunctions.nowName, arity: .exactly(0), traits: .innocuous)
  { _ in
    .real(EvaluationDependencies.current.now().timeIntervalSinceReferenceDate)
  }
  for function in [Derivation.TextFunction.canonical, .uppercase, .lowercase] {
    try register(function, as: function.sqlName, on: connection)
  }
}

/// Registers a text function under a name.
func register(
  _ function: Derivation.TextFunction, as name: String, on connection: Connection
) throws(SQLiteError) {
  let folding = TextFolding([.caseInsensitive, .diacriticInsensitive])
  try connection.register(function: name, arity: .exactly(1), traits: [.innocuous, .deterministic])
  { arguments in
    guard let text = arguments.text(at: 0) else { return .null }
    return switch function {
    case .canonical: .text(folding.fold(text))
    case .uppercase: .text(text.uppercased())
    case .lowercase: .text(text.lowercased())
    }
  }
}
