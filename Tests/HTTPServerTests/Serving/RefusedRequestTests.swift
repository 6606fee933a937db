import HTTPServer
import Synchronization
import TestSupport
import Testing

/// The answers to requests that reach no handler.
@Suite("Rejections over sockets", .blockingThreads, .endsAtAll)
struct RefusedRequestTests {
  /// One head for each error; any head with the error will do.
  private static let cases = Dictionary(RefusedHeadTests.cases) { first, _ in first }.sorted {
    $0.key.rawValue < $1.key.rawValue
  }

  @Test(arguments: cases)
  func `Each rejection has its status, an identifier and a message`(
    error: HTTPParseError, head: String
  )
    async throws
  {
    try await withServer { _ in
      HTTPResponse(.ok)
    } _: { _, address in
      let client = try RawClient(address)
      try client.send(String(head.prefix(100 << 10)))
      let response = try client.response()
      #expect(response.status == error.status.rawValue)
      #expect(response.text == error.rawValue + "\n")
      #expect(response.fields["content-type"] == "text/plain; charset=utf-8")
      #expect(response.fields["connection"] == "close")
      #expect(response.fields["x-request-id"]?.count == 32)
      #expect(response.fields["date"] != nil)
    }
  }

  @Test(arguments: [HTTPRejection.Reason.invalidRequest(.repeatedHost), .tooManyConnections])
  func `A server can answer rejections in its own format`(reason: HTTPRejection.Reason) async throws
  {
    let refused = Mutex<[HTTPRejection]>([])
    try await withServer {
      if reason == .tooManyConnections { $0.maximumConnections = 0 }
      $0.answerRejection = { refusal in
        refused.withLock { $0.append(refusal) }
        return HTTPRejection.Answer(headers: ["Content-Type": "a/b"], body: Array("No.".utf8))
      }
    } handler: { _ in
      HTTPResponse(.ok)
    } _: { _, address in
      let client = try RawClient(address)
      try client.send(get("/", "Host: again\r\n"))
      let response = try client.response()
      let refusal = try #require(refused.withLock(\.self).first)
      #expect(refusal.reason == reason)
      #expect(response.status == refusal.status.rawValue)
      #expect(response.text == "No.")
      #expect(response.fields["content-type"] == "a/b")
      #expect(response.fields["x-request-id"] == refusal.id.description)
      #expect(client.isAtEnd())
      #expect(refused.withLock(\.count) == 1)
    }
  }
}
