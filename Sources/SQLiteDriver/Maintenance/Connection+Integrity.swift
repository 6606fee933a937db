/// How thoroughly a database is checked.
package enum IntegrityCheck: String, Sendable {
  /// Everything but that indexes agree with their tables; time grows with the size of the file.
  case quick = "quick_check"
  /// Everything; several times slower.
  case full = "integrity_check"
}

extension Connection {
  /// Looks for damage.
  ///
  /// - Returns: The problems in SQLite's words, at most `limit`; none when the database is sound.
  /// - Throws: When the file is too broken to be looked at.
  package func problems(
    _ check: IntegrityCheck = .quick, limit: Int = Limits.integrityProblems
  ) throws(SQLiteError) -> [String] {
    let limit = max(1, limit)
    var statement = try prepare("PRAGMA \(check.rawValue)(\(limit))")
    var problems: [String] = []
    do {
      while try statement.step() {
        // One answer can hold the problems of a whole database, line by line under a heading.
        let lines = (statement.row.text(at: 0) ?? "").split(separator: "\n")
        problems += lines.filter { $0 != "ok" && !$0.hasPrefix("*** ") }.map(String.init)
      }
    } catch {
      // Where the check itself stumbles over damage that it has already begun to list, that is one
      // more problem.
      guard error.code.primary == .corrupt, !problems.isEmpty else { throw error }
      problems.append(error.message)
    }
    return Array(problems.prefix(limit))
  }
}
