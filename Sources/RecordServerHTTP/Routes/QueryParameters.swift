/// What stands behind the question mark of an address.
///
/// Parameters that nobody asks for mean nothing.
package struct QueryParameters: Sendable {
  private let query: String

  package init(_ query: String?) { self.query = query ?? "" }

  /// The value of a parameter; nil where it is missing or cannot be read.
  ///
  /// Of a parameter that stands twice the first counts: a proxy that checks it and this server must not see different ones, and most look at the first.
  ///
  /// - Parameter plusIsSpace: False for tokens, whose plus signs some clients do not encode.
  package func value(of name: String, plusIsSpace: Bool = false) -> String? {
    for part in query.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let key = pair.first.flatMap({ PercentEncoding.decode($0) }), key == name else { continue }
      return pair.count == 2 ? PercentEncoding.decode(pair[1], plusIsSpace: plusIsSpace) : ""
    }
    return nil
  }
}
