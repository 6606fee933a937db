import CommandTestSupport
import Foundation
import ParhelionCommands
import TestSupport
import Testing

@Suite("Limits of a server", .blockingThreads, .endsAtAll, .serialized)
struct LimitTests {
  @Test func `Help lists each limit with its default`() {
    let help = Commands.run(["serve", "--help"]).result
    let described = help.matches(of: #/(?m)^- ([a-z-]+) \((\d+)\): /#).map { "\($0.1)=\($0.2)" }
    #expect(described == LimitOption.all.map { "\($0.name)=\($0.defaultValue)" })
  }

  static let mistakes: [(String, String)] = [
    ("file-byte=1", "Did you mean \"file-bytes\"?"), ("records", "from 1 to 10000"),
    ("records=0", "from 1 to 10000"),
    ("records=many", "from 1 to 10000"), ("file-bytes=9999999999G", "from 1 to"),
    ("=1", "There is no limit"),
  ]

  @Test(arguments: mistakes)
  func `Unknown limits and invalid values are usage errors`(word: String, answer: String) {
    let outcome = Commands.run(["serve", "--limit", word])
    #expect(outcome.status == .usage && outcome.messages.contains(answer), "\(outcome)")
  }

  @Test func `Limits apply where they are set and cannot be set twice`() throws {
    #expect(
      Commands.run(["serve", "--limit", "zones=1", "--limit", "zones=2"]).messages.contains("twice")
    )
    try withTemporaryDirectory { folder in
      let server = try ServerProcess(
        data: folder, "--limit", "operations=1", "--limit", "request-bytes=2K", "--limit",
        "requests-at-once=4",
        "--limit", "requests-per-second=1")
      let user = Commands.run(
        ["user", "add", "ada", "--data", folder.path], input: ["correct horse battery"])
      #expect(user.status == .success, "\(user)")
      let created = Commands.run(
        [
          "token", "create", "--container", "iCloud.a", "--user", "ada", "--json", "--data",
          folder.path,
        ])
      let tokens = try JSONDecoder().decode([String: String].self, from: Data(created.result.utf8))
      let query =
        "ckAPIToken=\(tokens["apiToken"] ?? "")&ckWebAuthToken=\(tokens["webAuthToken"] ?? "")"
      func send(_ operations: String) throws -> RawClient {
        let body = #"{"operations":[\#(operations)]}"#
        let client = try RawClient(port: server.port)
        try client.send(
          "POST /database/1/iCloud.a/development/private/records/modify?\(query) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return client
      }
      func modify(_ operations: String) throws -> (status: Int, text: String) {
        let response = try send(operations).response()
        return (response.status, response.text)
      }
      let save =
        #"{"operationType":"forceUpdate","record":{"recordName":"a","recordType":"Note","fields":{}}}"#
      #expect(try modify(save).status == 200)
      let two = try modify("\(save),\(save)")
      #expect(two.status == 400 && two.text.contains("at most 1 are allowed"), "\(two)")
      #expect(try modify(String(repeating: " ", count: 2_048)).status == 413)
      // All are sent before the first response is read, so that none waits for another one.
      let statuses = try (0..<32).map { _ in try send(save) }.map { try $0.response().status }
      #expect(statuses.contains(429), "\(statuses)")
      #expect(server.end(by: SIGTERM).status == 0)
    }
  }
}
