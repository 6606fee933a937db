package import SQLiteDriver

/// A fetch in SQL, with its values.
package struct FetchStatement {
  let translation: TranslatedFetch
  /// Whether the query is the one for few rows.
  let isForFew: Bool
  /// What the parameters are bound to, in order.
  package let bindings: [Value]
  /// What the integer arrays hold that the text names, by number.
  package let integerArrays: [[Int64]]

  /// The query, which is the same for all fetches that differ in their values only.
  package var query: RowQuery { isForFew ? translation.queryForFew : translation.query }

  /// Whether the fetch asks for an order; else the rows come as SQLite finds them, which depends on
  /// its plan.
  package var isOrdered: Bool { translation.isOrdered }

  package var sql: String { query.sql }
}

extension Connection {
  /// A fetch as a statement that is ready to be stepped.
  ///
  /// The integer arrays are those of the connection: step the statement before another fetch is
  /// prepared on it.
  package func prepare(_ fetch: FetchStatement) throws(SQLiteError) -> Statement {
    for (number, values) in fetch.integerArrays.enumerated() {
      try integerArray(number).values = values
    }
    var statement = try prepare(fetch.sql)
    try statement.bind(fetch.bindings)
    return statement
  }
}

/// A fetch of dictionaries in SQL, and what its columns mean.
package struct DictionaryStatement {
  package let statement: FetchStatement
  package let columns: [ResultColumn]
}
