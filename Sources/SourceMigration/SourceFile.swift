/// One Swift source file: where it stands, for messages, and its text.
package struct SourceFile: Sendable, Equatable {
  /// The path as the user wrote it, used in diagnostics and in the diff.
  package let path: String

  /// The whole text, with its byte order mark and line endings as they stand in the file.
  package let text: String

  /// Whether the file's target is compiled in Swift 6 mode; nil where the options say it for all
  /// files.
  package let isSwift6Mode: Bool?

  /// Whether no build plug-in runs on the file's target; nil where the options say it for all
  /// files.
  package let importsPredicateNames: Bool?

  package init(
    path: String, text: String, isSwift6Mode: Bool? = nil, importsPredicateNames: Bool? = nil
  ) {
    self.path = path
    self.text = text
    self.isSwift6Mode = isSwift6Mode
    self.importsPredicateNames = importsPredicateNames
  }

  func replacingText(_ text: String) -> SourceFile {
    SourceFile(
      path: path, text: text, isSwift6Mode: isSwift6Mode,
      importsPredicateNames: importsPredicateNames)
  }
}
