/// The parameters in the query of an address.
///
/// Unknown parameters are ignored.
package struct QueryParameters: Sendable {
  private let query: [UInt8]

  package init(_ query: String?) { self.query = Array((query ?? "").utf8) }

  /// The value of a parameter, or nil if it is missing or malformed.
  ///
  /// If a parameter occurs several times, the first one counts. Most proxies check the first one,
  /// and the server must see the same value.
  ///
  /// - Parameter plusIsSpace: False for tokens, whose plus signs some clients do not encode.
  package func value(of name: String, plusIsSpace: Bool = false) -> String? {
    var start = 0
    while start < query.count {
      let end = query[start...].firstIndex(of: UInt8(ascii: "&")) ?? query.count
      let key = query[start..<end].prefix { $0 != UInt8(ascii: "=") }
      if PercentEncoding.decodes(key, to: name) {
        let value = query[start..<end].dropFirst(key.count + 1)
        return PercentEncoding.decode(value, plusIsSpace: plusIsSpace)
      }
      start = end + 1
    }
    return nil
  }
}
