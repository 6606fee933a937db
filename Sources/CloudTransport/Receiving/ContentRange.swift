/// The header field that describes a part of a response body (RFC 9110, 14.4).
///
///     bytes 1000-1999/5000      a part; the whole has 5,000 bytes
///     bytes 1000-1999/*         a part of a body of unknown length
///     bytes */5000              no part: the requested one does not exist
package struct ContentRange: Equatable, Sendable {
  /// The offset of the first byte, or nil if no part is sent.
  package var start: Int64?
  /// The size of the whole, if it is known.
  package var total: Int64?

  /// Parses the field, or returns nil if it is malformed.
  package init?(_ field: String?) {
    guard let field, field.lowercased().hasPrefix("bytes ") else { return nil }
    let parts = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    total = Self.number(parts[1])
    guard total != nil || parts[1] == "*" else { return nil }
    guard parts[0] != "*" else { return }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last,
      last < total ?? .max
    else { return nil }
    start = first
  }

  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      ? Int64(text) : nil
  }
}
