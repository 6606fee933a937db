/// The header fields of a response, in the order in which they are written.
///
/// The server itself writes `Content-Length`, `Transfer-Encoding`, `Connection`, `Date` and
/// `X-Request-ID`. It omits fields of a handler that have these names.
package struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
  package private(set) var fields: [(name: String, value: String)]

  /// Creates fields in the order of the literal.
  package init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { (name: $0.0, value: $0.1) }
  }

  /// Appends a field.
  package mutating func append(_ name: String, _ value: String) {
    fields.append((name, value))
  }
}

/// A header field that is not allowed, because it would end the head or begin another field.
package struct HTTPHeaderError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The field's name.
  package let name: String

  package init(name: String) { self.name = name }

  package var description: String {
    "The response's field “\(name)” has a name or a value with a character that header fields must not have. "
      + "Encode external text before it becomes a header field."
  }
}
