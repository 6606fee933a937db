import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

extension StoreCheck {
  /// Values in files of their own: each has its file, and each file its value.
  mutating func checkExternalFiles() throws(SQLiteError) {
    guard let folder = subject.snapshot.location.externalDataFolder else { return }
    var named: Set<String> = []
    var known: Set<String> = []
    for entity in schema.entities {
      for (property, column) in zip(entity.layout.properties, entity.columns) {
        guard let attribute = property as? NSAttributeDescription, attribute.allowsExternalBinaryDataStorage,
          let column, known.insert("\(entity.table) \(column.name)").inserted
        else { continue }
        try check(attribute, column.name, of: entity, in: folder, &named)
      }
    }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for file in files.sorted() where UUID(uuidString: file) != nil && !named.contains(file) {
      // A process that ended between its commit and the clearing up leaves one.
      warn("externalFile", "The file \(file) belongs to no object.")
    }
  }

  private mutating func check(
    _ attribute: NSAttributeDescription, _ column: String, of entity: EntitySchema, in folder: URL,
    _ named: inout Set<String>
  ) throws(SQLiteError) {
    var statement = try connection.prepare(
      "SELECT Z_PK, \(column) FROM \(entity.table) WHERE \(column) NOT NULL AND substr(\(column), 1, 1) <> x'01' ORDER BY Z_PK"
    )
    while try statement.step() {
      let key = statement.row.int64(at: 0)
      guard let bytes = statement.row.blob(at: 1), case .file(let name) = ExternalReference(stored: Data(bytes)) else {
        note(
          "row", table: entity.table, row: key, "\(column) does not begin with a byte that says where the value lies.")
        continue
      }
      named.insert(name)
      if !FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path) {
        note(
          "externalFile", table: entity.table, row: key,
          "The file \(name) with the value of \(attribute.name) is missing.")
      }
    }
  }

  /// Changes of the history belong to transactions and entities that are there.
  mutating func checkHistory() throws {
    guard let history = try subject.snapshot.history() else { return }
    let numbers = schema.entities.map { String($0.number) }.joined(separator: ", ")
    try noteRows(
      "history", of: "ACHANGE",
      "SELECT C.Z_PK, C.ZTRANSACTIONID FROM ACHANGE C LEFT JOIN ATRANSACTION T ON T.Z_PK = C.ZTRANSACTIONID WHERE T.Z_PK IS NULL ORDER BY C.Z_PK"
    ) { row in "The change belongs to the transaction \(row[1].wholeNumber ?? 0), which is not there." }
    try noteRows(
      "history", of: "ACHANGE", "SELECT Z_PK, ZENTITY FROM ACHANGE WHERE ZENTITY NOT IN (\(numbers)) ORDER BY Z_PK"
    ) { row in "The change is one of the entity \(row[1].wholeNumber ?? 0), which is not there." }
    guard history.hasStrings else { return }
    for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"] {
      try noteRows(
        "history", of: "ATRANSACTION",
        "SELECT T.Z_PK, T.\(column) FROM ATRANSACTION T LEFT JOIN ATRANSACTIONSTRING S ON S.Z_PK = T.\(column) WHERE T.\(column) NOT NULL AND S.Z_PK IS NULL ORDER BY T.Z_PK"
      ) { row in "\(column) names the text \(row[1].wholeNumber ?? 0), which is not there." }
    }
  }
}
