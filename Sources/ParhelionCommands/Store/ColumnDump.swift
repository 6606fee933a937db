import Foundation
import SQLiteDriver
import SQLiteStore

/// The rows of a store without a known model: the values of its columns, without conversion.
struct ColumnDump: DumpSource {
  let entityNames: [String]
  private let snapshot: StoreSnapshot
  private let values: DumpedValue
  private let tables: [CheckedTable]
  private let file: FileSchema

  init(_ snapshot: StoreSnapshot, isForReading: Bool) throws {
    self.snapshot = snapshot
    values = DumpedValue(isForReading: isForReading, externalFolder: nil, report: { _ in })
    file = try snapshot.fileSchema()
    tables = CheckedTable.all(in: file)
    entityNames = tables.flatMap { $0.entities.map(\.name) }.sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
  }

  func forEachRow(of entity: String, _ body: (DumpedRow) throws -> Void) throws {
    guard let table = tables.first(where: { $0.entities.contains { $0.name == entity } }),
      let number = table.entities.first(where: { $0.name == entity })?.number,
      let columns = file.columns(of: table.name),
      Set(columns).isSuperset(of: ["Z_PK", "Z_ENT", "Z_OPT"])
    else { return }
    let names = columns.filter { !["Z_PK", "Z_ENT", "Z_OPT"].contains($0) }
    let list = (["Z_PK", "Z_OPT"] + names).map(\.quotedForSQL).joined(separator: ", ")
    var statement = try snapshot.connection.prepare(
      "SELECT \(list) FROM \(table.quotedName) WHERE Z_ENT = \(number) ORDER BY Z_PK")
    while try statement.step() {
      let row = statement.row.values
      try body(
        DumpedRow(
          key: statement.row.int64(at: 0), entity: entity, version: statement.row.int64(at: 1),
          groups: [("columns", zip(names, row.dropFirst(2)).map { ($0, values.json($1)) })]))
    }
  }
}
