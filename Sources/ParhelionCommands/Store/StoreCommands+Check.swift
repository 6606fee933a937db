import Foundation
import ObjectRows
import SQLiteDriver
import SQLiteStore

extension StoreCommands {
  /// The command `parhelion store check`.
  package static let check = Command(
    "store check", "Check a store, and report each issue with its table and row.",
    operands: ["FILE"],
    options: [modelOption, .json],
    discussion: """
      \(forms) It checks SQLite's own integrity; tables, columns, indexes and triggers; metadata \
      and the store's copy of its model; keys, relationships and their inverses, join tables, \
      orders; values against the types of their attributes, derived values, uniqueness, external \
      files, and history. If the store's model is unknown, it runs only the checks that need none, \
      and says so. It exits with status 1 if there are issues; a warning is unusual, but also \
      found in intact stores. With --json: {"ok": false, "issues": [{"kind", "table", "row", \
      "message"}], "warnings": [the same]}.
      """
  ) { invocation, console in
    let findings = try findings(invocation, console)
    let isSound = findings.issues.isEmpty
    if invocation.has("--json") {
      try console.writeJSON(
        CheckDocument(ok: isSound, issues: findings.issues, warnings: findings.warnings))
    } else {
      for issue in findings.issues { try console.writeLine(issue.text) }
      for warning in findings.warnings { try console.writeLine("warning: \(warning.text)") }
      if isSound { try console.writeLine("Nothing is wrong.") }
    }
    return isSound ? .success : .failure
  }

  private struct CheckDocument: Encodable {
    let ok: Bool
    let issues: [StoreIssue]
    let warnings: [StoreIssue]
  }

  private static func findings(
    _ invocation: Invocation, _ console: any Console
  ) throws(CommandError) -> StoreFindings {
    let url = URL(fileURLWithPath: invocation.operands[0])
    do {
      let snapshot = try StoreSnapshot(at: url)
      let damage = try snapshot.connection.issues(.full).map {
        StoreIssue(kind: "integrity", table: nil, row: nil, message: $0)
      }
      guard damage.isEmpty else { return StoreFindings(issues: damage) }
      let found = try model(for: snapshot, named: invocation.value(of: "--model"), console)
      return try StoreExamination.run(snapshot, model: found?.0)
    } catch let error as CommandError {
      throw error
    } catch let error as SQLiteError {
      return try findings(StoreError(error, at: StoreLocation(url)))
    } catch let error as StoreError {
      return try findings(error)
    } catch {
      throw CommandError("\(error)")
    }
  }

  /// The issue for an error in a store's layout or metadata; throws for any other error.
  private static func findings(_ error: StoreError) throws(CommandError) -> StoreFindings {
    let kind: String? =
      switch error.code {
      case .incompatibleSchema: "layout"
      case .notAStore where error.context["table"] != nil: "metadata"
      default: nil
      }
    guard let kind else { throw CommandError(error.message) }
    return StoreFindings(
      issues: [
        StoreIssue(kind: kind, table: error.context["table"], row: nil, message: error.message)
      ])
  }
}
