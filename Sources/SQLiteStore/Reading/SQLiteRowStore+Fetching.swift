import ManagedObjectModel
package import ObjectRows
import SQLiteDriver

/// Results of fetch requests.
extension SQLiteRowStore {
  package func fetchRows(_ fetch: RowFetch) throws -> FetchedRows {
    try withIndexRetry { try readRows(fetch) }
  }

  private func readRows(_ fetch: RowFetch) throws -> FetchedRows {
    let plan = try plans.plan(
      for: fetch.layout, includingSubentities: fetch.specification.includesSubentities)
    let limit = fetch.specification.fetchLimit
    let translated = try translator.rows(fetch, selecting: plan.columns)
    var fetched = try run(translated, fetch.monitor) { statement in
      var rows = RowCollector(
        plan, reader, atMost: limit > 0 ? limit : nil, monitor: fetch.monitor)
      try rows.collect(&statement)
      return rows.fetched
    }
    translated.translation.recordFound(fetched.rows.count)
    if !translated.isOrdered, !fetched.keysAscend { fetched.rows.putInOrder { $0.row.key } }
    return fetched
  }

  package func fetchKeys(_ fetch: RowFetch) throws -> ContiguousArray<RowKey> {
    try withIndexRetry { try readKeys(fetch) }
  }

  private func readKeys(_ fetch: RowFetch) throws -> ContiguousArray<RowKey> {
    let translated = try translator.keys(fetch)
    let monitor = fetch.monitor
    var found = try run(translated, monitor) { statement in
      var keys = ContiguousArray<RowKey>()
      try statement.readRows { row in
        let layoutIndex = reader.numbers.layoutIndex(ofEntity: row.int64(at: 0))
        if layoutIndex >= 0 { keys.append(RowKey(key: row.int64(at: 1), layoutIndex: layoutIndex)) }
        if let monitor { monitor.add(1) }
      }
      return keys
    }
    if !translated.isOrdered { found.putInOrder(\.key) }
    return found
  }

  package func count(_ fetch: RowFetch) throws -> Int {
    try withIndexRetry {
      try run(translator.count(fetch), fetch.monitor) { statement in
        try statement.step() ? Int(statement.row.int64(at: 0)) : 0
      }
    }
  }

  package func fetchDictionaries(_ fetch: RowFetch) throws -> [[String: Any]] {
    try withIndexRetry { try readDictionaries(fetch) }
  }

  private func readDictionaries(_ fetch: RowFetch) throws -> [[String: Any]] {
    let translated = try translator.dictionaries(fetch)
    let dictionaries = DictionaryReader(
      columns: translated.columns, layouts: layouts, identity: identity, reader: reader)
    return try run(translated.statement, fetch.monitor) { statement in
      var found: [[String: Any]] = []
      while try statement.step() {
        found.append(dictionaries.dictionary(from: statement.row))
        if let monitor = fetch.monitor { monitor.add(1) }
      }
      return found
    }
  }

  /// Runs a fetch, which its monitor can cancel, on a connection for reading.
  private func run<Result>(
    _ fetch: FetchStatement, _ monitor: (any ReadMonitor)?,
    _ body: (inout Statement) throws -> Result
  ) throws -> Result {
    try pool.read { connection in
      try connection.withIntegers(fetch.integerArrays) {
        var statement = try connection.prepare(fetch.query)
        try statement.bind(fetch.bindings)
        guard let monitor else { return try body(&statement) }
        return try StatementCancellation(if: { monitor.isReadCancelled }).watch(connection) {
          try body(&statement)
        }
      }
    }
  }
}

extension ContiguousArray {
  /// Sorts the rows of an unordered fetch by key, unless SQLite returned them in that order.
  fileprivate mutating func putInOrder(_ key: (Element) -> Int64) {
    guard indices.dropFirst().contains(where: { key(self[$0]) < key(self[$0 - 1]) }) else { return }
    sort { key($0) < key($1) }
  }
}
