/// Reads the attributes of one XML element by name and type, and records their issues.
///
/// It remembers which attributes were read: `finish` warns of all others.
struct ElementReader {
  let element: SourceElement
  let file: SourceFile
  /// The element and its enclosing elements, such as `entity Person › attribute name`.
  let path: String
  private var taken: Set<String> = []

  init(_ element: SourceElement, in file: SourceFile, inside outer: String? = nil) {
    self.element = element
    self.file = file
    let own = element[attribute: "name"].map { "\(element.name) \($0)" } ?? element.name
    path = outer.map { "\($0) › \(own)" } ?? own
  }

  /// The text of an attribute, which may be empty.
  mutating func text(_ name: String) -> String? {
    taken.insert(name)
    return element[attribute: name]
  }

  /// The text of an attribute, or nil if it is missing or empty.
  mutating func nonEmptyText(_ name: String) -> String? {
    text(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The text of a required attribute.
  mutating func requiredText(_ name: String, remedy: String) -> String? {
    if let text = nonEmptyText(name) { return text }
    error(.missingValue, name, "<\(element.name)> has no \(name).", remedy)
    return nil
  }

  /// A YES or NO, or nil if the attribute is missing.
  mutating func flag(_ name: String) -> Bool? {
    guard let text = text(name) else { return nil }
    if let flag = SourceValue.flag(text) { return flag }
    error(.badValue, name, "\"\(text)\" is neither YES nor NO.", "Write YES or NO.")
    return nil
  }

  /// A number that is not negative, or nil if the attribute is missing.
  mutating func count(_ name: String) -> Int? {
    guard let text = text(name) else { return nil }
    if let count = Int32(text), count >= 0 { return Int(count) }
    error(
      .badValue, name, "\"\(text)\" is not a number from 0 to \(Int32.max).", "Write such a number."
    )
    return nil
  }

  /// Ignores attributes that only the data modeler uses.
  mutating func ignore(_ names: String...) {
    taken.formUnion(names)
  }

  /// Warns of the attributes that were not read.
  func finish() {
    for attribute in element.attributes where !taken.contains(attribute.name) {
      file.record(
        .warning, .unknownAttribute, at: attribute.offset, element: path, attribute: attribute.name,
        "The attribute \(attribute.name) is not known and is ignored.",
        "Remove it if it is a typing error.")
    }
  }
}

extension ElementReader {
  func error(
    _ code: ModelSourceError.Code, _ attribute: String? = nil, _ problem: String, _ remedy: String
  ) {
    record(.error, code, attribute, problem, remedy)
  }

  func warning(
    _ code: ModelSourceError.Code, _ attribute: String? = nil, _ problem: String, _ remedy: String
  ) {
    record(.warning, code, attribute, problem, remedy)
  }

  /// Warns of an unknown child element.
  func unknownChild(_ child: SourceElement) {
    file.record(
      .warning, .unknownElement, at: child.offset, element: path,
      "The element <\(child.name)> is not known inside <\(element.name)> and is ignored.",
      "Remove it if it is a typing error.")
  }

  private func record(
    _ severity: ModelSourceIssue.Severity, _ code: ModelSourceError.Code, _ attribute: String?,
    _ problem: String,
    _ remedy: String
  ) {
    let place = element.attributes.first { $0.name == attribute }
    file.record(
      severity, code, at: place?.offset ?? element.offset, element: path, attribute: attribute,
      problem, remedy)
  }
}
