extension TableSchema {
  /// The statement that creates the table.
  package var definition: String { definition(named: name) }

  /// The statement that creates a table of these columns under another name.
  func definition(named name: String) -> String {
    let all =
      ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"] + columns.map(\.definition)
    return "CREATE TABLE \(name) ( \(all.joined(separator: ", ")) )"
  }
}

extension TableColumn {
  /// The column in the definition of its table.
  package var definition: String { "\(name) \(kind.sqlType)" }
}

extension JoinTable {
  /// The statement that creates the table.
  package var definition: String {
    definition(named: name)
  }

  /// The statement that creates the table under another name.
  func definition(named name: String) -> String {
    let parts =
      columns.map { "\($0) INTEGER" } + ["PRIMARY KEY (\(firstColumn), \(secondColumn))"]
    return "CREATE TABLE \(name) ( \(parts.joined(separator: ", ")) )"
  }

  /// The index that finds the first column's objects by the second's.
  package var index: IndexSchema {
    IndexSchema(
      name: "\(name)_\(secondColumn)_INDEX", table: name,
      elements: [.plain(secondColumn), .plain(firstColumn)])
  }

  /// The unique index on pairs that SQLite creates for the table's primary key.
  var pairIndex: IndexSchema {
    IndexSchema(
      name: "\(name)_PAIR", table: name, elements: [.plain(firstColumn), .plain(secondColumn)],
      isUnique: true)
  }
}
