/// A Swift source file: its path for messages, and its text.
package struct SourceFile: Sendable, Equatable {
  /// The path as the user wrote it, for diagnostics and the diff.
  package let path: String

  /// The whole text, with the file's byte order mark and line endings.
  package let text: String

  /// Whether the file's target is compiled in Swift 6 mode; nil if the options decide for all
  /// files.
  package let isSwift6Mode: Bool?

  /// Whether no build plug-in runs on the file's target; nil if the options decide for all files.
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
