package import Foundation

/// A condition on transactions, or on changes and their transactions, that a store can evaluate.
package indirect enum HistoryFilter: Equatable, Sendable {
  case constant(Bool)
  case all([HistoryFilter])
  case any([HistoryFilter])
  case not(HistoryFilter)
  /// Compares an integer of the transaction or the change.
  case number(Number, Comparison, Int64)
  /// Compares the date of the transaction.
  case date(Comparison, Date)
  /// Whether a string of the transaction is in a list, where nil stands for a missing string.
  case text(Text, [String?])
  /// Whether the changed object has one of these entities, by name.
  case entity([String])
  /// Whether the changed object is this one.
  case object(RowKey)

  /// The integers that a filter can compare.
  package enum Number: Sendable {
    case transaction, change
    /// The raw value of the change's kind.
    case kind
  }

  /// The strings of a transaction.
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
