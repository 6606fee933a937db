import CommandTestSupport
import Foundation
import ParhelionCommands
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

/// Compares the records that a server acknowledged to concurrent clients with those that plain SQL
/// finds in its file.
@Suite("Parallel pushes", .blockingThreads, .endsAtAll, .serialized)
struct ParallelPushTests {
  private static let container = "iCloud.com.example.notes"

  @Test func `Parallel pushes leave each acknowledged record in the file once`() throws {
    try withTemporaryDirectory { folder in
      let server = try ServerProcess(data: folder)
      let created = Commands.run(
        ["user", "add", "ada", "--data", folder.path], input: ["correct horse battery"])
      #expect(created.status == .success)
      let tokens = Commands.run(
        [
          "token", "create", "--container", Self.container, "--user", "ada", "--json", "--data",
          folder.path,
        ])
      let document =
        try JSONSerialization.jsonObject(with: Data(tokens.result.utf8)) as? [String: String] ?? [:]
      let query =
        "ckAPIToken=\(document["apiToken"] ?? "")&ckWebAuthToken=\(document["webAuthToken"] ?? "")"
      let zone =
        #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}]}"#
      let port = server.port
      _ = try Pusher(port, query, number: 0).ask("zones/modify", zone)
      let kept = Mutex<Set<String>>([])
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 8) { number in
        do {
          let names = try Pusher(port, query, number: number).push()
          kept.withLock { $0.formUnion(names) }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      #expect(failures.withLock(\.self) == [])
      #expect(server.end(by: SIGTERM).status == 0)
      let acknowledged = kept.withLock(\.self)
      // Each pusher keeps 250 of its own 300 records. Each of the shared names belongs to one
      // pusher.
      #expect(acknowledged.count == 8 * 250 + 100)
      let found = try Self.records(in: folder.appendingPathComponent("records.sqlite").path)
      #expect(found.count == acknowledged.count && Set(found) == acknowledged)
      let listed = Commands.run([
        "usage", "--container", Self.container, "--json", "--data", folder.path,
      ])
      #expect(
        listed.result.contains(#""records":\#(acknowledged.count)"#)
          || listed.result.contains(#""records" : \#(acknowledged.count)"#), "\(listed)")
    }
  }

  /// The names of all records in Ada's own zone, read from the tables as
  /// `Sources/RecordServer/DESIGN.md` describes them.
  private static func records(in file: String) throws -> [String] {
    let connection = try Connection(.file(file), options: .readOnly)
    // A key consists of the owner's name, a zero, the keyspace 4, the realm, the zone's number and
    // the position. A record's value starts with 1, a type in its encoding, and the length of its
    // name.
    let rows = try connection.rows(
      """
      SELECT CASE typeof(value) WHEN 'blob' THEN value
        ELSE (SELECT long_values.value FROM long_values WHERE id = entries.value) END AS bytes
      FROM entries WHERE substr(key, 1, 1) = CAST('_' AS BLOB) AND substr(key, 34, 2) = x'0004'
      """)
    return rows.compactMap { row -> String? in
      guard case .blob(let bytes) = row[0], bytes.first == 1 else { return nil }
      let text = String(decoding: bytes, as: UTF8.self)
      return text.firstMatch(of: /own \d+ \d+\.|all \d+\./).map {
        String(text[$0.range].dropLast())
      }
    }
  }
}

/// A client that pushes batches and keeps the acknowledged names.
private final class Pusher {
  private let client: RawClient
  private let query: String
  private let number: Int

  init(_ port: UInt16, _ query: String, number: Int) throws {
    client = try RawClient(port: port)
    (self.query, self.number) = (query, number)
  }

  /// Pushes all batches.
  ///
  /// - Returns: The names that the client created and did not delete.
  func push() throws -> Set<String> {
    var names: Set<String> = []
    for batch in 0..<6 {
      names.formUnion(try modify("create", (0..<50).map { "own \(number) \(batch * 50 + $0)." }))
      // All clients try these names, and one succeeds for each.
      names.formUnion(
        try modify("create", (0..<100).filter { $0 % 6 == batch }.map { "all \($0)." }))
    }
    for name in try modify("forceDelete", (0..<50).map { "own \(number) \($0 * 3)." }) {
      names.remove(name)
    }
    return Set(names.map { String($0.dropLast()) })
  }

  /// Sends operations on records, and returns the names for which they succeeded.
  private func modify(_ kind: String, _ names: [String]) throws -> [String] {
    let operations = names.map {
      #"{"operationType":"\#(kind)","record":{"recordName":"\#($0)","recordType":"Note","fields":{"text":{"value":"\#(String(repeating: "x", count: number * 60))"}}}}"#
    }
    let body =
      #"{"operations":[\#(operations.joined(separator: ","))],"atomic":false,"zoneID":{"zoneName":"Notes"}}"#
    let records = try ask("records/modify", body)["records"] as? [[String: Any]] ?? []
    #expect(records.count == names.count)
    for failed in records.compactMap({ $0["serverErrorCode"] as? String }) {
      #expect(failed == "EXISTS")
    }
    return records.filter { $0["serverErrorCode"] == nil }.compactMap {
      $0["recordName"] as? String
    }
  }

  func ask(_ operation: String, _ body: String) throws -> [String: Any] {
    let target = "/database/1/iCloud.com.example.notes/development/private/\(operation)?\(query)"
    try client.send(
      "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    )
    let response = try client.response()
    #expect(response.status == 200, "\(response.text)")
    return try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any] ?? [:]
  }
}
