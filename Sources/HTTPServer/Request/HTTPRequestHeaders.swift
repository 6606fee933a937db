/// The header fields of a request, in their original order.
package struct HTTPRequestHeaders: Sendable {
  let head: HTTPRequestHead

  /// The number of fields.
  package var count: Int { head.parsed.fields.count }

  /// The value of the first field with a name, ignoring case.
  ///
  /// The argument is in lower case. The search allocates nothing. A value of more than 15 bytes
  /// does.
  package subscript(_ name: StaticString) -> String? {
    field(name).map { head.text($0.value) }
  }

  /// Whether there is a field with a name, which the argument has in lower case.
  package func contains(_ name: StaticString) -> Bool { field(name) != nil }

  /// Whether the first field with a name has a value, ignoring case.
  ///
  /// Both arguments are in lower case.
  package func value(of name: StaticString, is value: StaticString) -> Bool {
    guard let field = field(name) else { return false }
    return head.bytes.span.matches(value, in: field.value)
  }

  /// Returns the values of all fields with a name, which the argument has in lower case.
  package func values(of name: StaticString) -> [String] {
    let bytes = head.bytes.span
    return head.parsed.fields.filter { bytes.matches(name, in: $0.name) }.map {
      head.text($0.value)
    }
  }

  /// The names and values of all fields, as received.
  package var all: [(name: String, value: String)] {
    head.parsed.fields.map { (head.text($0.name), head.text($0.value)) }
  }

  private func field(_ name: StaticString) -> ParsedHead.Field? {
    let bytes = head.bytes.span
    for field in head.parsed.fields where bytes.matches(name, in: field.name) { return field }
    return nil
  }
}
