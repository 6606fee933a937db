/// Collects the issues of a model while it is read, so that one run reports all of them.
final class IssueLog {
  private(set) var issues: [ModelSourceIssue] = []
  private var unreported = 0
  private(set) var errorCount = 0
  private(set) var firstErrorCode: ModelSourceError.Code?

  /// Records an issue.
  ///
  /// Beyond the limit, issues are only counted.
  func record(_ issue: ModelSourceIssue) {
    if issue.severity == .error {
      errorCount += 1
      if firstErrorCode == nil { firstErrorCode = issue.code }
    }
    guard issues.count < Limits.issues else {
      unreported += 1
      return
    }
    issues.append(issue)
  }

  /// The warnings of a successful read.
  var warnings: [ModelSourceIssue] { issues.filter { $0.severity == .warning } }

  /// Throws if an error was recorded.
  func throwIfFailed(file: String) throws(ModelSourceError) {
    guard let code = firstErrorCode else { return }
    if unreported > 0 {
      issues.append(
        ModelSourceIssue(
          severity: .error, code: code, file: file, position: nil, element: nil, attribute: nil,
          problem: "There are \(unreported) more issues.", remedy: "Correct those above first."))
      unreported = 0
    }
    throw ModelSourceError(code: code, issues: issues)
  }
}
