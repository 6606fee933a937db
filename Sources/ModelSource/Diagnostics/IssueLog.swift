/// Collects the issues of a model while it is read, so that one run reports all of them.
final class IssueLog {
  private(set) var issues: [ModelSourceIssue] = []
  /// The number of recorded issues, by severity.
  private var counts: [ModelSourceIssue.Severity: Int] = [:]
  private(set) var firstErrorCode: ModelSourceError.Code?

  var errorCount: Int { counts[.error, default: 0] }

  /// Records an issue.
  ///
  /// Beyond the limit of its severity, an issue is only counted.
  func record(_ issue: ModelSourceIssue) {
    let count = counts[issue.severity, default: 0] + 1
    counts[issue.severity] = count
    if issue.severity == .error, firstErrorCode == nil { firstErrorCode = issue.code }
    if count <= Limits.issues { issues.append(issue) }
  }

  /// The warnings of a successful read.
  var warnings: [ModelSourceIssue] { issues.filter { $0.severity == .warning } }

  /// Throws if an error was recorded.
  func throwIfFailed(file: String) throws(ModelSourceError) {
    guard let code = firstErrorCode else { return }
    let hidden = counts.values.reduce(0, +) - issues.count
    guard hidden > 0 else { throw ModelSourceError(code: code, issues: issues) }
    let note = ModelSourceIssue(
      severity: .error, code: code, file: file, position: nil, element: nil, attribute: nil,
      problem: hidden == 1
        ? "1 more issue is not shown." : "\(hidden) more issues are not shown.",
      remedy: "Correct those above first.")
    throw ModelSourceError(code: code, issues: issues + [note])
  }
}
