/// A Swift source file of a target, as text.
package struct SourceFile: Sendable {
  /// The path for messages.
  package var path: String
  package var text: String

  package init(path: String, text: String) {
    self.path = path
    self.text = text
  }
}
