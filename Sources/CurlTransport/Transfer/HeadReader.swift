internal import CloudTransport

/// Assembles the head of a response from libcurl's header lines.
///
/// Heads of interim responses may precede that head. Trailers after the body are ignored.
struct HeadReader {
  /// The head, or nil until it is complete.
  private(set) var head: TransportResponse?
  private var unfinished = TransportResponse(status: 0)

  /// Parses a line with its end, and returns whether the line completes the head.
  mutating func take(_ line: Span<UInt8>) -> Bool {
    guard head == nil else { return false }
    let line = line.extracting(first: line.countOfText)
    if line.beginsHead {
      unfinished = TransportResponse(status: line.status)
    } else if line.isEmpty {
      guard unfinished.status >= 200 else { return false }
      head = unfinished
      return true
    } else if let colon = line.indices.first(where: { line[$0] == UInt8(ascii: ":") }) {
      unfinished.headers.append(
        (line.text(0..<colon), line.text(line.skippingSpaces(from: colon + 1)..<line.count)))
    }
    return false
  }
}

extension Span<UInt8> {
  /// The number of bytes before the line's end and trailing white space.
  fileprivate var countOfText: Int {
    var count = count
    while count > 0, self[count - 1] <= UInt8(ascii: " ") { count -= 1 }
    return count
  }

  /// Whether this is the first line of a head.
  fileprivate var beginsHead: Bool {
    count >= 5 && self[0] == UInt8(ascii: "H") && self[1] == UInt8(ascii: "T")
      && self[2] == UInt8(ascii: "T")
      && self[3] == UInt8(ascii: "P") && self[4] == UInt8(ascii: "/")
  }

  /// The status code of the first line, or 0 if there is none.
  fileprivate var status: Int {
    var index = 0
    while index < count, self[index] != UInt8(ascii: " ") { index += 1 }
    index = skippingSpaces(from: index)
    var status = 0
    while index < count, self[index] != UInt8(ascii: " ") {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self[index]), status < 1_000 else {
        return 0
      }
      status = status * 10 + Int(self[index] - UInt8(ascii: "0"))
      index += 1
    }
    return status
  }

  fileprivate func skippingSpaces(from start: Int) -> Int {
    var index = start
    while index < count, self[index] == UInt8(ascii: " ") || self[index] == UInt8(ascii: "\t") {
      index += 1
    }
    return index
  }

  fileprivate func text(_ range: Range<Int>) -> String {
    unsafe extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
