import CloudRecords
import Foundation
import RecordServerHTTP
import Testing

/// `Documentation/Server.md` follows the server.
@Suite struct `The page on running a server` {
  private static func guide() throws -> String {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    return try String(
      contentsOf: root.appendingPathComponent("Documentation/Server.md"), encoding: .utf8)
  }

  @Test func `explains every code of an error, with its status`() throws {
    let rows = try Self.guide().split(separator: "\n").filter { $0.hasPrefix("| `") }
    for code in CloudErrorCode.allCases {
      #expect(
        rows.filter { $0.hasPrefix("| `\(code.rawValue)` | \(code.httpStatus) | ") }.count == 1,
        "\(code)")
    }
  }

  @Test func `names what an operator looks at`() throws {
    let guide = try Self.guide()
    for route in Route.described where !route.isForPages || route == .openAPI {
      #expect(guide.contains("`\(route.template)`"), "\(route.template)")
    }
    let figures = Metrics().text(gauges: []).matches(of: /# TYPE (\w+)/).map { String($0.1) }
    #expect(figures.count >= 4)
    for figure in figures { #expect(guide.contains("`\(figure)"), "\(figure)") }
  }
}
