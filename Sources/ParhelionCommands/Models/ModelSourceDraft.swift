import Foundation
import ModelSource

/// The source text of a model's version, for the commands that edit it.
///
/// Elements are inserted as text, so that everything else stays unchanged, byte for byte.
struct ModelSourceDraft: Equatable {
  private(set) var text: String

  /// A model without entities.
  static let empty = ModelSourceDraft(
    text: """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22758" systemVersion="23G93" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
      </model>

      """)

  init(text: String) {
    self.text = text
  }

  /// Adds an entity with attributes.
  mutating func addEntity(_ name: String, attributes: [AttributeShorthand]) throws(CommandError) {
    try Self.requireName(name, of: "an entity", pattern: \.isUppercase)
    guard entityStart(name) == nil else {
      throw CommandError("The model has an entity \(name) already.")
    }
    var lines = [
      "    <entity name=\"\(name)\" representedClassName=\".\(name)\" syncable=\"YES\" codeGenerationType=\"class\">"
    ]
    for attribute in attributes.sorted(by: { $0.name < $1.name }) {
      lines.append("        \(attribute.element)")
    }
    lines.append("    </entity>")
    guard let end = text.range(of: "</model>", options: .backwards) else {
      // An empty model may be one element without an end tag.
      guard let end = text.range(of: "/>", options: .backwards) else { throw Self.notAModel }
      text.replaceSubrange(end, with: ">\n" + lines.joined(separator: "\n") + "\n</model>")
      return
    }
    text.insert(contentsOf: lines.joined(separator: "\n") + "\n", at: lineStart(of: end.lowerBound))
  }

  /// Adds a relationship and its inverse.
  mutating func addRelationship(_ one: RelationshipEnd, inverse other: RelationshipEnd)
    throws(CommandError)
  {
    try insert(one.element(inverse: other), intoEntity: one.entity)
    // A relationship may be its own inverse.
    if one.entity != other.entity || one.name != other.name {
      try insert(other.element(inverse: one), intoEntity: other.entity)
    }
  }

  private mutating func insert(_ element: String, intoEntity name: String) throws(CommandError) {
    guard let start = entityStart(name) else {
      throw CommandError(
        "The model has no entity \(name). Add it with: parhelion model add-entity.")
    }
    guard let tagEnd = text.range(of: ">", range: start..<text.endIndex) else {
      throw Self.notAModel
    }
    let line = "        \(element)\n"
    if text[text.index(before: tagEnd.lowerBound)] == "/" {
      let slash = text.index(before: tagEnd.lowerBound)
      text.replaceSubrange(slash..<tagEnd.upperBound, with: ">\n\(line)    </entity>")
      return
    }
    guard let end = text.range(of: "</entity>", range: tagEnd.upperBound..<text.endIndex) else {
      throw Self.notAModel
    }
    // Elements that Xcode writes after the properties stay after them.
    let properties = text.range(
      of: #"<(relationship|attribute|fetchedProperty)\b"#,
      options: [.regularExpression, .backwards],
      range: tagEnd.upperBound..<end.lowerBound)
    let place = properties.map {
      nextLine(after: elementEnd(from: $0.lowerBound, before: end.lowerBound))
    }
    text.insert(contentsOf: line, at: place ?? nextLine(after: tagEnd.upperBound))
  }

  /// The end of a property's element, which may have children.
  private func elementEnd(from start: String.Index, before limit: String.Index) -> String.Index {
    guard let tagEnd = text.range(of: ">", range: start..<limit) else { return limit }
    if text[text.index(before: tagEnd.lowerBound)] == "/" { return tagEnd.upperBound }
    let name = text[text.index(after: start)...].prefix { $0.isLetter }
    return text.range(of: "</\(name)>", range: tagEnd.upperBound..<limit)?.upperBound
      ?? tagEnd.upperBound
  }

  private func entityStart(_ name: String) -> String.Index? {
    text.range(of: #"<entity\s[^>]*\bname="\#(name)""#, options: .regularExpression)?.lowerBound
  }

  private func lineStart(of index: String.Index) -> String.Index {
    text[..<index].lastIndex(of: "\n").map { text.index(after: $0) } ?? index
  }

  private func nextLine(after index: String.Index) -> String.Index {
    text[index...].firstIndex(of: "\n").map { text.index(after: $0) } ?? index
  }

  private static let notAModel = CommandError(
    "The text is not the source of a model. Check the file's contents.")

  /// Validates the name of an entity or a property.
  static func requireName(
    _ name: String, of subject: String, pattern isFirst: (Character) -> Bool
  ) throws(CommandError) {
    let isName = name.unicodeScalars.allSatisfy {
      $0.isASCII && ($0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil)
    }
    guard let first = name.first, isFirst(first), isName else {
      throw CommandError(
        "\"\(name)\" is not the name of \(subject). Entities begin with an upper-case letter and properties with a lower-case one; letters, digits and _ may follow."
      )
    }
  }
}
