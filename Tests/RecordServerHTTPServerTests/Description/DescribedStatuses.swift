import HTTPServer
import RecordServerHTTP
import RecordStorage
import Synchronization
import TestSupport
import Testing

/// The answers of a service, which are compared with the description at its end.
///
/// Every status that a test provokes must be described to clients.
final class DescribedStatuses: Sendable {
  private struct Answered: Hashable, CustomStringConvertible {
    var method: String
    var template: String
    var status: Int

    var description: String { "\(status) of \(method) \(template)" }
  }

  private let answered = Mutex<Set<Answered>>([])

  /// Records an answer if the path is a route.
  func record(_ entry: RequestLogEntry) {
    guard let method = entry.method, method != "OPTIONS", let path = entry.path else { return }
    // The log omits the names of shares.
    let template =
      path.hasPrefix("/share/") ? "/share/{invitation}" : (try? Route(path: path))?.template
    guard let template else { return }
    let described = method == "HEAD" ? "GET" : method
    answered.withLock {
      _ = $0.insert(Answered(method: described, template: template, status: entry.status))
    }
  }

  func check() async throws {
    let described = try await Self.described.value
    let missing = answered.withLock(\.self).filter { answer in
      guard let statuses = described[answer.template]?[answer.method] else {
        return answer.status != 405
      }
      return !statuses.contains(answer.status) && !Route.statusesEverywhere.contains(answer.status)
    }
    #expect(missing.isEmpty, "The description does not have \(missing.map(\.description).sorted())")
  }

  /// The described statuses by template and method.
  private static let described = Task { () async throws -> [String: [String: Set<Int>]] in
    let server = try await CloudServer.start(on: MemoryStorageEngine(), CloudServer.Configuration())
    let client = try RawClient(port: server.socketAddress.port)
    try client.send("GET /openapi.json HTTP/1.1\r\nHost: cloud.example\r\n\r\n")
    let operations = DescribedOperation.all(in: Reply(try client.response()).json)
    await server.shutdown(within: .seconds(20))
    return operations.reduce(into: [:]) { $0[$1.path, default: [:]][$1.method] = Set($1.statuses) }
  }
}
