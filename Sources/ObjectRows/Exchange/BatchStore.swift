package import PredicateLanguage

/// A store that executes batch requests: each is one transaction, without objects.
package protocol BatchStore: AnyObject, Sendable {
  func insert(_ batch: BatchInsertion) throws -> BatchReceipt
  func update(_ batch: BatchUpdate) throws -> BatchReceipt
  func delete(_ batch: BatchDeletion) throws -> BatchReceipt
}

/// Rows to insert.
package struct BatchInsertion {
  package let layout: RowLayout
  package var uniqueness: UniquenessRule
  package var transaction: TransactionDescription
  /// Whether the receipt names the written rows.
  package var reportsKeys: Bool
  /// Returns the next rows; none at the end.
  ///
  /// The memory of the rows is valid until the next call. The store sets their keys.
  package let nextRows: () throws -> ContiguousArray<BatchRow>

  package init(
    layout: RowLayout, uniqueness: UniquenessRule, transaction: TransactionDescription,
    reportsKeys: Bool, nextRows: @escaping () throws -> ContiguousArray<BatchRow>
  ) {
    self.layout = layout
    self.uniqueness = uniqueness
    self.transaction = transaction
    self.reportsKeys = reportsKeys
    self.nextRows = nextRows
  }
}

/// The action for a row if another row has its unique values.
package enum UniquenessRule: Hashable, Sendable {
  /// The request fails.
  case fail
  /// The stored row stays as it is.
  case keepStored
  /// The stored row gets only the given values of the new row.
  case updateGiven
  /// The stored row gets all attribute values of the new row.
  case replace
}

/// One row of a batch insertion.
package struct BatchRow {
  package let row: RowReference
  /// The attributes with given values; may be empty unless the rule is `updateGiven`.
  package let given: OrdinalSet

  package init(row: RowReference, given: OrdinalSet) {
    self.row = row
    self.given = given
  }
}

/// New values for all rows that a fetch finds.
package struct BatchUpdate {
  package var fetch: RowFetch
  /// A row with the constant values.
  ///
  /// The caller owns its memory until the update ends.
  package let constants: RowReference
  /// The attributes whose new values are constants.
  package var constantOrdinals: OrdinalSet
  package var expressions: [Assignment]
  package var transaction: TransactionDescription
  package var reportsKeys: Bool

  /// An attribute, or an element of a composite one, that gets the value of an expression.
  package struct Assignment {
    package let ordinal: Int
    /// The path of the element inside a composite attribute; empty for a whole attribute.
    package let path: [String]
    package let expression: NSExpression

    package init(ordinal: Int, path: [String], expression: NSExpression) {
      self.ordinal = ordinal
      self.path = path
      self.expression = expression
    }
  }

  package init(
    fetch: RowFetch, constants: RowReference, constantOrdinals: OrdinalSet,
    expressions: [Assignment], transaction: TransactionDescription, reportsKeys: Bool
  ) {
    self.fetch = fetch
    self.constants = constants
    self.constantOrdinals = constantOrdinals
    self.expressions = expressions
    self.transaction = transaction
    self.reportsKeys = reportsKeys
  }

  /// All updated attributes.
  package var changed: OrdinalSet {
    var changed = constantOrdinals
    for assignment in expressions { changed.insert(assignment.ordinal) }
    return changed
  }
}

/// The deletion of all rows that a fetch finds, with the effects of the delete rules.
package struct BatchDeletion {
  package var fetch: RowFetch
  package var transaction: TransactionDescription
  package var reportsKeys: Bool

  package init(fetch: RowFetch, transaction: TransactionDescription, reportsKeys: Bool) {
    self.fetch = fetch
    self.transaction = transaction
    self.reportsKeys = reportsKeys
  }
}

/// The result of a batch request in one store.
package struct BatchReceipt {
  /// The number of rows that were inserted, updated or deleted.
  ///
  /// Rows whose relationships a deletion cleared do not count.
  package var count = 0
  /// The keys of the counted rows, if they were requested.
  package var keys: ContiguousArray<RowKey> = []
  /// The rows whose cached values are stale.
  package var stale: ContiguousArray<RowKey> = []
  /// The number of the history transaction; nil if the store has no history or nothing changed.
  package var transactionNumber: Int64?

  package init() {}

  /// Whether the request changed the store.
  package var hasChanges: Bool { count > 0 }
}
