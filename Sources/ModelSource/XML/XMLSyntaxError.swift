/// What is wrong with the text of an XML file, and where.
package struct XMLSyntaxError: Error, Sendable, Hashable {
  /// A sentence that says what is wrong.
  package let problem: String
  /// A sentence that says what to do.
  package let remedy: String
  /// The offset of the place in the file, in bytes.
  package let offset: Int
}
