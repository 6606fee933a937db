import CloudTransport
import CurlTransport
import Foundation
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite("Files over libcurl", .blockingThreads, .endsAtAll)
struct FileTests {
  private static let contents = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

  /// Serves a file at `/` with the tag `"tag"`.
  private func withFile(
    _ body: (TransportAndServer, URL, _ ranges: @Sendable () -> [String]) async throws -> Void
  ) async throws {
    let asked = Mutex<[String]>([])
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("original")
      try Data(Self.contents).write(to: path)
      try await withTransport { request in
        asked.withLock { $0.append(request.headers["range"] ?? "-") }
        #expect(request.headers["accept-encoding"] == "identity")
        guard request.path == "/" else { return HTTPResponse(.notFound, text: "nothing is here") }
        return try HTTPResponse(file: HTTPFile(path: path.path), for: request, entityTag: "\"tag\"")
      } _: { peers in
        try await body(peers, folder.appendingPathComponent("copy")) { asked.withLock(\.self) }
      }
    }
  }

  @Test func `A download is complete and reports its progress`() async throws {
    try await withFile { peers, copy, ranges in
      let reported = Mutex<[Int64]>([])
      let answer = try await peers.transport.download(peers.get("/"), to: copy.path) {
        done, total in
        #expect(total == 1_000_000)
        reported.withLock { $0.append(done) }
      }
      #expect(answer.status == 200 && answer.body.isEmpty && answer["etag"] == "\"tag\"")
      #expect(try Data(contentsOf: copy) == Data(Self.contents))
      #expect(reported.withLock(\.self).last == 1_000_000)
      #expect(ranges() == ["-"])
    }
  }

  @Test(arguments: [1, 999_999])
  func `A download resumes where it stopped`(count: Int) async throws {
    try await withFile { peers, copy, ranges in
      try Data(Self.contents.prefix(count)).write(to: copy)
      var request = peers.get("/")
      request.headers = [("If-Range", "\"tag\"")]
      let answer = try await peers.transport.download(request, to: copy.path) { _, total in
        #expect(total == 1_000_000)
      }
      #expect(answer.status == 206)
      #expect(try Data(contentsOf: copy) == Data(Self.contents))
      #expect(ranges() == ["bytes=\(count)-"])
    }
  }

  @Test func `A file that is already there costs one request`() async throws {
    try await withFile { peers, copy, ranges in
      try Data(Self.contents).write(to: copy)
      let answer = try await peers.transport.download(peers.get("/"), to: copy.path) {
        done, total in
        #expect(done == 1_000_000 && total == 1_000_000)
      }
      #expect(answer.isSuccess)
      #expect(try Data(contentsOf: copy) == Data(Self.contents))
      #expect(ranges() == ["bytes=1000000-"])
    }
  }

  @Test func `A partial file of other contents is downloaded again`() async throws {
    try await withFile { peers, copy, ranges in
      try Data(repeating: 7, count: 500).write(to: copy)
      var request = peers.get("/")
      request.headers = [("If-Range", "\"another\"")]
      #expect(
        try await peers.transport.download(request, to: copy.path) { _, _ in }.status == 200)
      #expect(try Data(contentsOf: copy) == Data(Self.contents))
      try Data(repeating: 7, count: 1_000_001).write(to: copy)
      #expect(
        try await peers.transport.download(peers.get("/"), to: copy.path) { _, _ in }.status
          == 200)
      #expect(try Data(contentsOf: copy) == Data(Self.contents))
      #expect(ranges() == ["bytes=500-", "bytes=1000001-", "-"])
    }
  }

  @Test func `A missing file is a response and leaves the local file`() async throws {
    try await withFile { peers, copy, _ in
      try Data([1, 2, 3]).write(to: copy)
      let answer = try await peers.transport.download(peers.get("/other"), to: copy.path) {
        _, _ in
      }
      #expect(
        answer.status == 404 && String(decoding: answer.body, as: UTF8.self) == "nothing is here")
      #expect(try Data(contentsOf: copy) == Data([1, 2, 3]))
    }
  }

  @Test func `A partial download stays, and the next attempt resumes it`() async throws {
    try await withFile { peers, copy, ranges in
      let proxy = try FaultyProxy(to: peers.port)
      defer { proxy.close() }
      var request = TransportRequest(.get, "http://127.0.0.1:\(proxy.port)/")
      request.headers = [("If-Range", "\"tag\"")]
      for _ in 0..<3 {
        proxy.fault = .down(300_000, .reset)
        let error = await #expect(throws: TransportError.self) {
          try await peers.transport.download(request, to: copy.path) { _, _ in }
        }
        #expect(error?.kind == .broken)
      }
      proxy.fault = .none
      #expect(
        try await peers.transport.download(request, to: copy.path) { _, _ in }.status == 206)
      #expect(try Data(contentsOf: copy) == Data(Self.contents))
      #expect(ranges().count == 4 && Set(ranges()).count == 4, "\(ranges())")
    }
  }

  @Test func `A local file that cannot be opened is a file error`() async throws {
    try await withFile { peers, copy, ranges in
      let missing = copy.path + "/not/there"
      let request = peers.post("/", .file(path: missing))
      for attempt in [
        { try await peers.transport.download(peers.get("/"), to: missing) { _, _ in } },
        { try await peers.transport.send(request) },
      ] {
        let error = await #expect(throws: TransportError.self) { try await attempt() }
        #expect(
          error?.kind == .file && error?.mayHaveArrived == false
            && error?.reason.contains(missing) == true)
      }
      #expect(ranges() == [])
    }
  }

  @Test(arguments: [TransportRequest.Method.post, .put])
  func `An upload reads from the disk`(method: TransportRequest.Method) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("file").path
      try Data(Self.contents).write(to: URL(fileURLWithPath: path))
      try await withTransport { request in
        #expect(request.body.length == 1_000_000)
        let body = try await request.collect(limit: 1 << 20)
        #expect(body == Self.contents)
        return HTTPResponse(text: request.method.rawValue)
      } _: { peers in
        let sent = Mutex<Int64>(0)
        var request = TransportRequest(method, peers.address("/"), body: .file(path: path))
        request.progress = { done, _ in sent.withLock { $0 = done } }
        let answer = try await peers.transport.send(request)
        #expect(String(decoding: answer.body, as: UTF8.self) == method.rawValue)
        #expect(sent.withLock(\.self) == 1_000_000)
      }
    }
  }

  @Test func `A rejected upload has a response`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("file").path
      try Data(repeating: 1, count: 30_000_000).write(to: URL(fileURLWithPath: path))
      try await withTransport { _ in
        HTTPResponse(.contentTooLarge, text: "too large")
      } _: { peers in
        let answer = try await peers.transport.send(peers.post("/", .file(path: path)))
        #expect(answer.status == 413 && String(decoding: answer.body, as: UTF8.self) == "too large")
      }
    }
  }
}
