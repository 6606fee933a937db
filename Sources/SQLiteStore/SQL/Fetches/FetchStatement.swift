package import SQLiteDriver

/// The SQL of a fetch, with its values.
package struct FetchStatement {
  let translation: TranslatedFetch
  /// Whether the query is the variant for few rows.
  let isForFew: Bool
  /// The values of the parameters, in order.
  package let bindings: [Value]
  /// The contents of the integer arrays that the text uses, by number.
  package let integerArrays: [[Int64]]

  /// The query, shared by all fetches that differ only in their values.
  package var query: RowQuery { isForFew ? translation.queryForFew : translation.query }

  /// Whether the fetch asks for an order; otherwise the order of the rows depends on SQLite's plan.
  package var isOrdered: Bool { translation.isOrdered }

  package var sql: String { query.sql }
}

extension Connection {
  /// Prepares a fetch as a statement that is ready to step.
  ///
  /// The integer arrays belong to the connection: step the statement before preparing another fetch
  /// on it.
  package func prepare(_ fetch: FetchStatement) throws(SQLiteError) -> Statement {
    for (number, values) in fetch.integerArrays.enumerated() {
      try integerArray(number).values = values
    }
    var statement = try prepare(fetch.sql)
    try statement.bind(fetch.bindings)
    return statement
  }
}

/// The SQL of a fetch of dictionaries, and the meaning of its columns.
package struct DictionaryStatement {
  package let statement: FetchStatement
  package let columns: [ResultColumn]
}
