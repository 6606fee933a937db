import CHTTPOracle
import HTTPServer

/// Requests: a head and a body that this server accepts are the same in pieces, and the same for
/// llhttp if it is available.
///
/// The converse is not checked: this server rejects much that llhttp accepts.
enum HTTPRequestTarget: FuzzTarget {
  static let name = "http-request"

  static func seeds() throws -> [[UInt8]] {
    [
      "GET /a?b HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n",
      "POST http://a/b HTTP/1.1\r\nHost: a:1\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabcrest",
      "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;a=\"b\"\r\nabc\r\n0\r\nT: u\r\n\r\n",
      "\r\nOPTIONS * HTTP/1.0\r\nX: a \t\r\nY:\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
    ].map { Array($0.utf8) }
  }

  static func run(_ bytes: [UInt8]) {
    guard let whole = try? read(bytes, pieces: { $0 }) else {
      let inPieces = try? read(bytes, pieces: { _ in 1 })
      return require(inPieces == nil, "a request is rejected as a whole and accepted byte by byte")
    }
    let inPieces = try? read(bytes, pieces: { min($0, 1 + bytes.count % 7) })
    require(inPieces == whole, "a request is accepted as a whole but not in pieces")
    require(
      (try? read(Array(bytes[..<(whole.end - 1)]), pieces: { $0 })) == nil,
      "a request is accepted without its last byte")
    compare(whole, with: bytes)
  }

  /// A request as either parser sees it.
  private struct Request: Equatable {
    var end = 0
    var fieldCount = 0
    var fields: [UInt8] = []
    var body: [UInt8] = []
  }

  private struct Unfinished: Error {}

  private static func read(_ bytes: [UInt8], pieces: (Int) -> Int) throws -> Request {
    var parser = HTTPHeadParser()
    var end = 0
    while end < bytes.count {
      end += pieces(bytes.count - end)
      guard let parsed = try parser.parse(bytes.span.extracting(0..<end)) else { continue }
      return try readBody(parsed, of: bytes, pieces: pieces)
    }
    throw Unfinished()
  }

  private static func readBody(_ parsed: ParsedHead, of bytes: [UInt8], pieces: (Int) -> Int) throws
    -> Request
  {
    var request = Request(end: parsed.byteCount, fieldCount: parsed.fields.count)
    for field in parsed.fields {
      request.fields += bytes[field.name] + [0] + bytes[field.value] + [0]
    }
    switch parsed.framing {
    case .none: break
    case .length(let length):
      guard bytes.count - request.end >= length else { throw Unfinished() }
      request.body = Array(bytes[request.end..<request.end + length])
      request.end += length
    case .chunked: try readChunks(of: bytes, into: &request, pieces: pieces)
    }
    return request
  }

  private static func readChunks(
    of bytes: [UInt8], into request: inout Request, pieces: (Int) -> Int
  ) throws {
    var decoder = ChunkedBodyDecoder()
    while request.end < bytes.count {
      let piece = Array(bytes[request.end..<request.end + pieces(bytes.count - request.end)])
      var place = 0
      while let part = try decoder.next(in: piece.span, at: &place) {
        switch part {
        case .data(let range): request.body += piece[range]
        case .end:
          request.end += place
          return
        }
      }
      request.end += place
    }
    throw Unfinished()
  }

  private static func compare(_ request: Request, with bytes: [UInt8]) {
    guard parhelion_oracle_is_present() == 1 else { return }
    var fields = [UInt8](repeating: 0, count: bytes.count * 2 + 64)
    var body = fields
    var oracle = unsafe parhelion_oracle_request()
    unsafe fields.withUnsafeMutableBufferPointer { fields in
      unsafe body.withUnsafeMutableBufferPointer { body in
        unsafe oracle.fields = fields.baseAddress
        unsafe oracle.body = body.baseAddress
        unsafe parhelion_oracle_read(bytes, bytes.count, &oracle)
      }
    }
    guard unsafe oracle.verdict != PARHELION_ORACLE_ABSTAINS else { return }
    let reason = unsafe String(cString: oracle.reason)
    require(
      unsafe oracle.verdict == PARHELION_ORACLE_COMPLETE,
      "llhttp does not take the request: \(reason)")
    require(
      unsafe oracle.end == request.end, "the request ends at \(request.end), to llhttp elsewhere")
    let count = request.fields.count
    require(unsafe oracle.field_count >= request.fieldCount, "llhttp sees fewer fields")
    require(fields[..<count].elementsEqual(request.fields), "llhttp sees other fields")
    require(
      unsafe body[..<oracle.body_length].elementsEqual(request.body), "llhttp sees another body")
  }
}
