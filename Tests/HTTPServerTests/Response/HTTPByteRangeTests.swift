import HTTPServer
import TestSupport
import Testing

@Suite("Byte ranges", .blockingThreads, .endsAtAll)
struct HTTPByteRangeTests {
  @Test(
    arguments: [
      (nil, .whole), ("bytes=0-0", .part(0..<1)), ("bytes=0-", .part(0..<10)),
      ("bytes=3-5", .part(3..<6)),
      ("bytes=3-99", .part(3..<10)), ("bytes=9-", .part(9..<10)), ("Bytes=-3", .part(7..<10)),
      ("bytes=-99", .part(0..<10)),
      ("bytes=10-", .unsatisfiable), ("bytes=10-20", .unsatisfiable), ("bytes=-0", .unsatisfiable),
      ("bytes=99999999999999999999-", .unsatisfiable),
      ("bytes=0-99999999999999999999", .part(0..<10)),
      ("bytes=5-3", .whole), ("bytes=", .whole), ("bytes=-", .whole), ("bytes=a-b", .whole),
      ("bytes=1-2,4-5", .whole),
      ("bytes= 1-2", .whole), ("bytes=+1-2", .whole), ("bytes=1--2", .whole), ("items=1-2", .whole),
      ("", .whole),
    ] as [(String?, HTTPByteRange)])
  func `One range is used, and an invalid one is ignored`(field: String?, range: HTTPByteRange) {
    #expect(HTTPByteRange(field, length: 10) == range)
  }

  @Test
  func `An empty file has no ranges`() {
    #expect(HTTPByteRange("bytes=0-", length: 0) == .unsatisfiable)
    #expect(HTTPByteRange("bytes=-1", length: 0) == .unsatisfiable)
    #expect(HTTPByteRange(nil, length: 0) == .whole)
  }

  @Test
  func `A file is answered whole, in part, or not at all`() async throws {
    try await withTemporaryFile(count: 100) { path in
      try await withServer { request in
        try HTTPResponse(
          file: try HTTPFile(path: path), for: request, headers: ["Content-Type": "a/b"])
      } _: { _, address in
        let client = try RawClient(address)
        try client.send(
          get("/") + get("/", "Range: bytes=10-19\r\n") + get("/", "Range: bytes=100-\r\n"))
        let (whole, part, none) = (
          try client.response(), try client.response(), try client.response()
        )
        #expect([whole.status, part.status, none.status] == [200, 206, 416])
        #expect([whole.body.count, part.body.count, none.body.count] == [100, 10, 0])
        #expect(part.fields["content-range"] == "bytes 10-19/100")
        #expect(none.fields["content-range"] == "bytes */100")
        #expect(whole.fields["accept-ranges"] == "bytes")
        try client.send(get("/", "Range: bytes=10-19\r\nIf-Range: \"x\"\r\n"))
        #expect(try client.response().status == 200)
        try client.send("HEAD / HTTP/1.1\r\nHost: a\r\nRange: bytes=10-19\r\n\r\n")
        let head = try client.response(hasBody: false)
        #expect(head.status == 200)
        #expect(head.fields["content-length"] == "100")
      }
    }
  }

  @Test(arguments: [
    ("\"a\"", 206), ("\"b\"", 200), ("W/\"a\"", 200), ("a", 200),
    ("Sun, 06 Nov 1994 08:49:37 GMT", 200),
  ])
  func `A conditional range needs the current contents`(condition: String, status: Int) async throws
  {
    try await withTemporaryFile(count: 100) { path in
      try await withServer { request in
        try HTTPResponse(file: try HTTPFile(path: path), for: request, entityTag: "\"a\"")
      } _: { _, address in
        let client = try RawClient(address)
        try client.send(get("/", "Range: bytes=10-19\r\nIf-Range: \(condition)\r\n"))
        let response = try client.response()
        #expect(response.status == status)
        #expect(response.fields["etag"] == "\"a\"")
      }
    }
  }
}
