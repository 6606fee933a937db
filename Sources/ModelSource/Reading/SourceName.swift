/// Reads and checks names of entities, properties and other items.
enum SourceName {
  /// The name of an element; records an error and returns nil if it is missing or invalid.
  static func read(with reader: inout ElementReader) -> String? {
    guard let name = reader.requiredText("name", remedy: "Name the \(reader.element.name).") else {
      return nil
    }
    if isIdentifier(name) { return name }
    reader.error(
      .badName, "name",
      "\"\(name)\" cannot be the name of \(article(reader.element.name)) \(reader.element.name).",
      "Use letters, digits and underscores, beginning with a letter or an underscore.")
    return nil
  }

  /// Whether the text is a valid identifier in a program.
  static func isIdentifier(_ text: String) -> Bool {
    guard let first = text.first, first.isLetter || first == "_" else { return false }
    return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }

  private static func article(_ noun: String) -> String {
    noun.first.map { "aeiou".contains($0) } ?? false ? "an" : "a"
  }
}
