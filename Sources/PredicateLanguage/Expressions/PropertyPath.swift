/// A parsed key path, so that evaluation does not split strings.
package struct PropertyPath: Hashable, Sendable {
  /// The path as it was written, with dots.
  package let text: String
  /// The keys and `@operators` in order.
  package let components: [String]

  /// Parses a dotted path.
  package init(_ text: String) {
    self.text = text
    components = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  package static func == (one: PropertyPath, other: PropertyPath) -> Bool { one.text == other.text }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
