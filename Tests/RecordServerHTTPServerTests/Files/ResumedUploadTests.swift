import CloudRecords
import Foundation
import RecordServerHTTP
import TestSupport
import Testing

/// A file that is sent in parts is acknowledged whole or not at all.
@Suite("Resumed uploads", .blockingThreads, .endsAtAll)
struct ResumedUploadTests {
  private static let contents = Array("0123456789".utf8)

  /// A URL for one file, on a service that accepts files of a thousand bytes.
  private func withAddress(_ body: (TestService, WebClient, String) async throws -> Void)
    async throws
  {
    try await withTemporaryDirectory { folder in
      try await TestService.run {
        $0.files = folder.path
        $0.limits.assetBytes = 1_000
      } _: { testService in
        let ada = try await testService.user("ada")
        try await body(testService, ada, try ada.uploadAddress())
      }
    }
  }

  private static func fields(_ range: String, isOurs: Bool = true) -> String {
    (isOurs ? "X-Parhelion-Client: 1\r\n" : "") + "Content-Range: \(range)\r\n"
  }

  /// Sends bytes as a part of the file.
  ///
  /// Each part has its own connection, because a body that was not read ends it.
  private func send(
    _ contents: some Collection<UInt8>, as range: String, to target: String,
    _ testService: TestService,
    isOurs: Bool = true
  ) throws -> Reply {
    try testService.client().send(Array(contents), to: target, Self.fields(range, isOurs: isOurs))
  }

  /// Sends bytes as a part of the file without stating their number in the head.
  private func sendInChunks(
    _ contents: some Collection<UInt8>, as range: String, to target: String,
    _ testService: TestService
  ) throws -> Reply {
    let client = try testService.client()
    let head = "POST \(target) HTTP/1.1\r\nHost: cloud.example\r\nTransfer-Encoding: chunked\r\n"
    try client.raw.send(
      head + Self.fields(range) + "\r\n" + String(contents.count, radix: 16) + "\r\n")
    try client.raw.send(Array(contents) + Array("\r\n0\r\n\r\n".utf8))
    return Reply(try client.raw.response())
  }

  private func received(_ target: String, _ testService: TestService, of total: Int = 10) throws
    -> Double?
  {
    try send([], as: "bytes */\(total)", to: target, testService)["received"].number
  }

  /// Sends five of ten bytes while announcing all.
  private func sendHalf(to target: String, _ testService: TestService) async throws {
    let reply = try sendInChunks(
      Self.contents.prefix(5), as: "bytes 0-9/10", to: target, testService)
    #expect((reply.status, reply.code) == (400, "BAD_REQUEST"), "\(reply)")
    #expect(try received(target, testService) == 5)
  }

  @Test(arguments: [
    "bytes 0-4/10", "bytes 5-9/11", "bytes 9-5/10", "bytes a-b/c", "bytes 0-9/*", "bytes */*",
    "bytes", "items 0-9/10",
    "bytes 0-9/99999999999999999999", "bytes 0-99999999999999999999/10", "bytes +0-9/10",
    "bytes -1-9/10", "",
  ])
  func `A malformed part is not taken for the whole file`(_ range: String) async throws {
    try await withAddress { testService, _, target in
      for isOurs in [true, false] {
        let reply = try send(Self.contents, as: range, to: target, testService, isOurs: isOurs)
        #expect((reply.status, reply.code) == (400, "BAD_REQUEST"), "\(range): \(reply)")
        #expect(reply["reason"].text?.contains("Content-Range") == true)
      }
      #expect(try received(target, testService) == 0)
    }
  }

  @Test(arguments: ["bytes 5-9/10", "bytes 0-9/10", "bytes */10"])
  func `Only clients that identify themselves can send parts`(_ range: String) async throws {
    try await withAddress { testService, _, target in
      let reply = try send(
        Self.contents.suffix(5), as: range, to: target, testService, isOurs: false)
      #expect((reply.status, reply.code) == (400, "BAD_REQUEST"))
      #expect(reply["reason"].text?.contains("X-Parhelion-Client") == true, "\(reply)")
    }
  }

  @Test func `A body that names two parts is rejected`() async throws {
    try await withAddress { testService, _, target in
      let twice = "bytes 0-9/10\r\nContent-Range: bytes 0-4/5"
      let reply = try send(Self.contents, as: twice, to: target, testService)
      #expect((reply.status, reply.code) == (400, "BAD_REQUEST"))
      #expect(reply["reason"].text?.contains("more than one Content-Range") == true, "\(reply)")
      #expect(try received(target, testService) == 0)
    }
  }

  @Test func `A form is a whole file from any client`() async throws {
    try await withAddress { testService, ada, target in
      let form =
        Array(
          "--AaB03x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"f\"\r\n\r\n".utf8)
        + Self.contents + Array("\r\n--AaB03x--\r\n".utf8)
      let fields = "Content-Type: multipart/form-data; boundary=AaB03x\r\nX-Parhelion-Client: 1\r\n"
      let part = try testService.client().send(
        form, to: target, fields + "Content-Range: bytes 0-\(form.count - 1)/\(form.count)\r\n")
      #expect((part.status, part.code) == (400, "BAD_REQUEST"))
      #expect(part["reason"].text?.contains("form") == true, "\(part)")
      let receipt = try testService.client().send(form, to: target, fields)
      #expect(receipt["singleFile"]["size"].number == 10, "\(receipt)")
      #expect(try ada.fetch(try ada.save(receipt["singleFile"])).body == Self.contents)
    }
  }

  @Test func `A part of the wrong length leaves what was received before`() async throws {
    try await withAddress { testService, ada, target in
      try await sendHalf(to: target, testService)
      for wrong in [Array("56".utf8), Array("56789x".utf8), []] {
        let reply = try send(wrong, as: "bytes 5-9/10", to: target, testService)
        #expect((reply.status, reply.code) == (400, "BAD_REQUEST"), "\(reply)")
        #expect(try received(target, testService) == 5)
      }
      // A body without a length is read to its end, and its bytes are kept.
      let short = try sendInChunks(
        Self.contents[5..<7], as: "bytes 5-9/10", to: target, testService)
      #expect((short.status, short.code) == (400, "BAD_REQUEST"), "\(short)")
      #expect(short["reason"].text?.contains("7 of 10") == true, "\(short)")
      #expect(try received(target, testService) == 7)
      let receipt = try sendInChunks(
        Self.contents[7...], as: "bytes 7-9/10", to: target, testService)
      #expect(receipt["singleFile"]["size"].number == 10, "\(receipt)")
      // A client that missed the answer learns that all bytes arrived.
      #expect(try received(target, testService) == 10)
      #expect(try ada.fetch(try ada.save(receipt["singleFile"])).body == Self.contents)
    }
  }

  @Test func `Bytes after the end of a file invalidate it`() async throws {
    try await withAddress { testService, _, target in
      try await sendHalf(to: target, testService)
      let long = try sendInChunks(Self.contents, as: "bytes 5-9/10", to: target, testService)
      #expect((long.status, long.code) == (400, "BAD_REQUEST"), "\(long)")
      #expect(try received(target, testService) == 0)
    }
  }

  @Test func `The rest of a different file is rejected`() async throws {
    try await withAddress { testService, _, target in
      try await sendHalf(to: target, testService)
      let other = try send(Array("567890".utf8), as: "bytes 5-10/11", to: target, testService)
      #expect(other.code == "CONFLICT", "\(other)")
      #expect(try received(target, testService) == 5)
      #expect(
        try send(Self.contents[5...], as: "bytes 5-9/10", to: target, testService).status == 200)
    }
  }

  @Test(arguments: ["bytes 3-9/10", "bytes 1-9/10", "bytes 7-9/10", "bytes 5-10/11", "bytes 5-8/9"])
  func `A part that overlaps, leaves a gap or differs is rejected, and earlier parts stay`(
    _ range: String
  ) async throws {
    try await withAddress { testService, ada, target in
      try await sendHalf(to: target, testService)
      let length = try #require(UploadPart(range)?.length)
      for _ in 0..<2 {
        let reply = try send(
          [UInt8](repeating: 0, count: Int(length)), as: range, to: target, testService)
        #expect((reply.status, reply.code) == (409, "CONFLICT"), "\(reply)")
        #expect(try received(target, testService) == 5)
      }
      let receipt = try send(Self.contents[5...], as: "bytes 5-9/10", to: target, testService)
      #expect(try ada.fetch(try ada.save(receipt["singleFile"])).body == Self.contents)
    }
  }

  @Test func `A repeated last part is rejected, and the whole file can be sent again`()
    async throws
  {
    try await withAddress { testService, ada, target in
      try await sendHalf(to: target, testService)
      let first = try send(Self.contents[5...], as: "bytes 5-9/10", to: target, testService)
      #expect(first.status == 200, "\(first)")
      let again = try send(Self.contents[5...], as: "bytes 5-9/10", to: target, testService)
      #expect((again.status, again.code) == (409, "CONFLICT"), "\(again)")
      // A client that missed the receipt learns that everything has arrived, sends it again, and
      // gets the same file.
      #expect(try received(target, testService) == 10)
      let whole = try send(Self.contents, as: "bytes 0-9/10", to: target, testService)
      #expect(
        whole["singleFile"]["fileChecksum"].text == first["singleFile"]["fileChecksum"].text,
        "\(whole)")
      for receipt in [first, whole] {
        #expect(try ada.fetch(try ada.save(receipt["singleFile"])).body == Self.contents)
      }
    }
  }

  @Test func `A part that is the whole file starts over`() async throws {
    try await withAddress { testService, ada, target in
      for isBegun in [false, true] {
        if isBegun { try await sendHalf(to: target, testService) }
        let receipt = try send(Self.contents, as: "bytes 0-9/10", to: target, testService)
        #expect(receipt["singleFile"]["size"].number == 10, "\(receipt)")
        #expect(try ada.fetch(try ada.save(receipt["singleFile"])).body == Self.contents)
      }
    }
  }

  @Test(arguments: [
    "bytes 0-1000/1001", "bytes 5-9223372036854775806/9223372036854775807", "bytes */1001",
  ])
  func `A file that is too large is rejected before its part is read`(_ range: String) async throws
  {
    try await withAddress { testService, _, target in
      // The announced body is never sent.
      let client = try testService.client()
      let length = range.hasPrefix("bytes */") ? 0 : 5
      try client.raw.send(
        "POST \(target) HTTP/1.1\r\nHost: cloud.example\r\nContent-Length: \(length)\r\n\(Self.fields(range))\r\n"
      )
      let reply = Reply(try client.raw.response())
      #expect((reply.status, reply.code) == (413, "BAD_REQUEST"), "\(reply)")
    }
  }
}
