/// The error of a malformed XML file, with its position.
package struct XMLSyntaxError: Error, Sendable, Hashable {
  /// A sentence that says what is wrong.
  package let problem: String
  /// A sentence that says how to correct it.
  package let remedy: String
  /// The offset in the file, in bytes.
  package let offset: Int
}
