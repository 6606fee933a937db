import Foundation
import SQLiteDriver
import SQLiteStore

/// External files without a model: every blob in the form of a file's name counts as a reference.
extension FileCheck {
  mutating func checkReferences() throws(SQLiteError) {
    var files = ExternalFileCheck(of: snapshot)
    for table in tables where file.hasTable(table.name) {
      for column in file.columns(of: table.name) ?? []
      where column.hasPrefix("Z") && !column.hasPrefix("Z_") {
        let value = column.quotedForSQL
        var statement = try connection.prepare(
          "SELECT Z_PK, \(value) FROM \(table.quotedName) WHERE typeof(\(value)) = 'blob' AND length(\(value)) IN (37, 38) AND substr(\(value), 1, 1) = x'02' ORDER BY Z_PK"
        )
        while try statement.step() {
          guard let bytes = statement.row.blob(at: 1),
            case .file(let name) = ExternalReference(stored: Data(bytes))
          else { continue }
          if let issue = files.issue(
            with: name, of: column, in: table.name, statement.row.int64(at: 0))
          {
            note("externalFile", table: table.name, row: statement.row.int64(at: 0), issue)
          }
        }
      }
    }
    for message in files.orphans() { warn("externalFile", message) }
  }
}
