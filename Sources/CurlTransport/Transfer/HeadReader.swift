internal import CloudTransport

/// Puts an answer's head together from its lines, as libcurl gives them.
///
/// A head may come after others: interim answers, and those of proxies. Lines behind the body are not the head's.
struct HeadReader {
  /// The head; nil before it is whole.
  private(set) var head: TransportResponse?
  private var unfinished = TransportResponse(status: 0)

  /// Takes a line with its end; true where the head is whole with it.
  mutating func take(_ line: [UInt8]) -> Bool {
    guard head == nil else { return false }
    let text = line[..<line.endOfText]
    if text.starts(with: "HTTP/".utf8) {
      unfinished = TransportResponse(status: Self.status(text))
    } else if text.isEmpty {
      guard unfinished.status >= 200 else { return false }
      head = unfinished
      return true
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      let value = text[(colon + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      unfinished.headers.append((Self.text(text[..<colon]), Self.text(value)))
    }
    return false
  }

  private static func status(_ line: ArraySlice<UInt8>) -> Int {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    return words.count > 1 ? Int(text(words[1])) ?? 0 : 0
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension [UInt8] {
  /// Where the end of the line begins, with what white space stands before it.
  fileprivate var endOfText: Int { (lastIndex { $0 > UInt8(ascii: " ") } ?? -1) + 1 }
}
