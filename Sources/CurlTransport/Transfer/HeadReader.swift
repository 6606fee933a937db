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
    let text = String(decoding: line, as: UTF8.self).trimmingEnd
    if text.hasPrefix("HTTP/") {
      unfinished = TransportResponse(status: Self.status(text))
    } else if text.isEmpty {
      guard unfinished.status >= 200 else { return false }
      head = unfinished
      return true
    } else if let colon = text.firstIndex(of: ":") {
      let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      unfinished.headers.append((String(text[..<colon]), String(value)))
    }
    return false
  }

  private static func status(_ line: Substring) -> Int {
    let words = line.split(separator: " ")
    return words.count > 1 ? Int(words[1]) ?? 0 : 0
  }
}

extension String {
  /// Without the end of the line, and what white space stands before it.
  fileprivate var trimmingEnd: Substring {
    var text = self[...]
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }
}
