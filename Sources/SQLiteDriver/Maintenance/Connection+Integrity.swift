/// The extent of an integrity check.
package enum IntegrityCheck: String, Sendable {
  /// Everything except that indexes agree with their tables; the time is linear in the file's size.
  case quick = "quick_check"
  /// Everything; several times slower.
  case full = "integrity_check"
}

extension Connection {
  /// Checks the database for corruption.
  ///
  /// - Returns: The issues in SQLite's words, at most `limit`; empty if the database is intact.
  /// - Throws: If the file is too corrupt to be checked.
  package func issues(
    _ check: IntegrityCheck = .quick, limit: Int = Limits.integrityIssues
  ) throws(SQLiteError) -> [String] {
    let limit = max(1, limit)
    var statement = try prepare("PRAGMA \(check.rawValue)(\(limit))")
    var issues: [String] = []
    do {
      while try statement.step() {
        // One row can contain the issues of a whole database, one per line under a heading.
        let lines = (statement.row.text(at: 0) ?? "").split(separator: "\n")
        issues += lines.filter { $0 != "ok" && !$0.hasPrefix("*** ") }.map(String.init)
      }
    } catch {
      // If corruption stops a check that has already found issues, the error becomes one more
      // issue.
      guard error.code.primary == .corrupt, !issues.isEmpty else { throw error }
      issues.append(error.message)
    }
    return Array(issues.prefix(limit))
  }
}
