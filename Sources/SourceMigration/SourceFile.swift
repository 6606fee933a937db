/// One Swift source file: where it stands, for messages, and its text.
package struct SourceFile: Sendable, Equatable {
  /// The path as the user wrote it, used in diagnostics and in the diff.
  package let path: String

  /// The whole text, with its byte order mark and line endings as they stand in the file.
  package let text: String

  package init(path: String, text: String) {
    self.path = path
    self.text = text
  }
}
