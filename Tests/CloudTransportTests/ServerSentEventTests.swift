import CloudTransport
import TestSupport
import Testing

@Suite("Server-sent events")
struct ServerSentEventTests {
  private static let texts: [(String, [String])] = [
    ("data: a\n\n", ["a"]), ("data:a\n\n", ["a"]), ("data:  a\n\n", [" a"]), (":\n\n", []),
    (": hello\n\ndata: a\n\n", ["a"]),
    ("data: a\ndata: b\n\n", ["a\nb"]), ("data: a\r\n\r\ndata: b\r\r", ["a", "b"]),
    ("data: a\n", []),
    ("event: x\nid: 7\nretry: 3\ndata: a\nother\n\n", ["a"]), ("event: x\n\n", []),
    ("data\n\n", [""]),
    ("data: a: b\n\n", ["a: b"]), ("\n\n\ndata: a\n\n\n", ["a"]), ("Data: a\n\n", []),
    ("data:\ndata\ndata: \n\n", ["\n\n"]), ("data:\ndata: a\n\n", ["\na"]),
  ]

  @Test(arguments: texts)
  func `Events are read whatever pieces they arrive in`(text: String, events: [String]) throws {
    let bytes = Array(text.utf8)
    for length in 1...max(1, bytes.count) {
      var reader = ServerSentEvents()
      var found: [String] = []
      for start in stride(from: 0, to: bytes.count, by: length) {
        let piece = Array(bytes[start..<min(start + length, bytes.count)])
        found += try reader.take(piece).map { String(decoding: $0, as: UTF8.self) }
      }
      #expect(found == events, "in pieces of \(length)")
    }
  }

  @Test func `A schema version is read and is no event`() throws {
    let bytes = Array(":\n\nschema: 3f9c0a1b5d7e2468\n\ndata: a\nschema:17\n\n".utf8)
    for length in 1...bytes.count {
      var reader = ServerSentEvents()
      var (events, versions): ([String], [String]) = ([], [])
      for start in stride(from: 0, to: bytes.count, by: length) {
        let piece = Array(bytes[start..<min(start + length, bytes.count)])
        events += try reader.take(piece).map { String(decoding: $0, as: UTF8.self) }
        if let version = reader.takeSchema() { versions.append(version) }
      }
      #expect(
        events == ["a"] && versions.last == "17" && reader.takeSchema() == nil,
        "in pieces of \(length)")
      if length == 1 { #expect(versions == ["3f9c0a1b5d7e2468", "17"]) }
    }
  }

  @Test func `An endless event is refused`() throws {
    var reader = ServerSentEvents()
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 18)
    let error = #expect(throws: TransportError.self) {
      for _ in 0..<5 { _ = try reader.take(piece) }
    }
    #expect(error?.kind == .malformed)
  }
}
