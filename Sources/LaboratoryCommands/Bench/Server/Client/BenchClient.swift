/// An HTTP client with a persistent connection, for one request at a time.
package final class BenchClient {
  /// The error for a response that the client cannot use.
  struct Refused: Error, CustomStringConvertible {
    let answer: String
    var description: String { "The measured server answered: \(answer.prefix(500))" }
  }

  private let connect: () throws -> BenchSocket
  private(set) var socket: BenchSocket
  private var buffer = [UInt8](repeating: 0, count: 512 << 10)

  package init(_ connect: @escaping () throws -> BenchSocket) throws {
    self.connect = connect
    socket = try connect()
  }

  convenience init(port: UInt16) throws { try self.init { try BenchSocket(port: port) } }

  /// Sends a request and waits for the response's body.
  package func ask(_ request: [UInt8]) throws -> [UInt8] {
    try send(request)
    return try answer()
  }

  /// Sends a request, over a new connection if the server has closed the idle one.
  func send(_ request: [UInt8]) throws {
    if socket.isClosed { socket = try connect() }
    try socket.send(request)
  }

  /// Waits for the response to a sent request, and returns its body.
  ///
  /// - Throws: ``Refused`` if the status is not 200, or if bytes follow the body.
  func answer() throws -> [UInt8] {
    var received = 0
    var head: AnswerHead?
    while true {
      received += try socket.receive(into: &buffer, from: received)
      head = head ?? AnswerHead(buffer[..<received])
      if let head {
        let end = head.byteCount + head.bodyByteCount
        if received >= end { return try body(of: head, end: end, received: received) }
        if buffer.count < end { grow(to: end) }
      }
      if received == buffer.count { grow(to: 2 * received) }
    }
  }

  private func body(of head: AnswerHead, end: Int, received: Int) throws -> [UInt8] {
    let body = Array(buffer[head.byteCount..<end])
    guard head.status == 200, received == end else {
      throw Refused(answer: String(decoding: body, as: UTF8.self))
    }
    return body
  }

  private func grow(to count: Int) { buffer += [UInt8](repeating: 0, count: count - buffer.count) }
}

/// The head of a response with a content length.
package struct AnswerHead: Equatable {
  package let status: Int
  /// The length of the head, including its empty line.
  package let byteCount: Int
  package let bodyByteCount: Int

  private static let end = ByteSearch("\r\n\r\n")
  private static let lengthName = Array("content-length:".utf8)

  /// Parses a head; nil if it is incomplete or invalid.
  package init?(_ bytes: ArraySlice<UInt8>) {
    guard let end = Self.end.first(in: bytes.span) else { return nil }
    byteCount = end + 4
    let lines = bytes.prefix(end).split(separator: UInt8(ascii: "\n"))
    let words = lines.first?.split(separator: UInt8(ascii: " ")) ?? []
    guard words.count >= 2, let status = Self.number(words[1]) else { return nil }
    self.status = status
    let length = lines.first { Self.tellsLength($0) }
    bodyByteCount = length.flatMap { Self.number($0.dropFirst(Self.lengthName.count)) } ?? 0
  }

  private static func tellsLength(_ line: ArraySlice<UInt8>) -> Bool {
    line.count > lengthName.count && zip(line, lengthName).allSatisfy { $0 | 0x20 == $1 | 0x20 }
  }

  /// The number that a text's digits form; nil if the text has no digits or more than 17.
  private static func number(_ text: ArraySlice<UInt8>) -> Int? {
    let digits = text.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard !digits.isEmpty, digits.count < 18 else { return nil }
    return digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
  }
}
