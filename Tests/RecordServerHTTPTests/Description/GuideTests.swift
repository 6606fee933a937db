import CloudRecords
import Foundation
import RecordServerHTTP
import Testing

/// `Documentation/Server` matches the server.
@Suite struct `Server documents` {
  private static func document(_ name: String) throws -> String {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    return try String(
      contentsOf: root.appendingPathComponent("Documentation/Server/\(name).md"), encoding: .utf8)
  }

  @Test func `The reference explains every error code with its status`() throws {
    let rows = try Self.document("Reference").split(separator: "\n").filter { $0.hasPrefix("| `") }
    for code in CloudErrorCode.allCases {
      #expect(
        rows.filter { $0.hasPrefix("| `\(code.rawValue)` | \(code.httpStatus) | ") }.count == 1,
        "\(code)")
    }
  }

  @Test func `The reference names every path`() throws {
    let reference = try Self.document("Reference")
    for route in Route.described where !route.isForPages || route == .openAPI {
      #expect(reference.contains("`\(route.template)`"), "\(route.template)")
    }
  }

  @Test func `The runbook names every metric`() throws {
    let runbook = try Self.document("Operations")
    let metrics = Metrics().text(gauges: []).matches(of: /# TYPE (\w+)/).map { String($0.1) }
    #expect(metrics.count >= 4)
    for metric in metrics { #expect(runbook.contains("`\(metric)"), "\(metric)") }
  }
}
