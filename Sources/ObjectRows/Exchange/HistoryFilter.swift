package import Foundation

/// A condition on transactions, or on changes and their transactions, that a store can answer by
/// itself.
package indirect enum HistoryFilter: Equatable, Sendable {
  case constant(Bool)
  case all([HistoryFilter])
  case any([HistoryFilter])
  case not(HistoryFilter)
  /// A whole number of a row, compared with another.
  case number(Number, Comparison, Int64)
  /// The time of the transaction, compared with another.
  case date(Comparison, Date)
  /// Whether a text of the transaction is one of several; nil stands for none.
  case text(Text, [String?])
  /// Whether the change is one of an object of these entities, by name.
  case entity([String])
  /// Whether the change is one of this object.
  case object(RowKey)

  /// The whole numbers.
  package enum Number: Sendable {
    case transaction, change
    /// The raw value of the kind of the change.
    case kind
  }

  /// The texts of a transaction.
  package enum Text: Sendable {
    case author, bundleID, contextName, processID
  }

  package enum Comparison: String, Sendable {
    case less = "<"
    case lessOrEqual = "<="
    case equal = "="
    case notEqual = "<>"
    case greaterOrEqual = ">="
    case greater = ">"
  }
}
