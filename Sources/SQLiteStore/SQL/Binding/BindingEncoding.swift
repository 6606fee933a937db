import TextMatching

/// How a constant is bound: in the form in which the column beside it is stored.
enum BindingEncoding: Hashable, Sendable {
  /// As the constant's own kind is stored.
  case own
  case number, text, date, uuid
  /// Bytes, after a tag where the column may refer to a file.
  case data(isTagged: Bool)
  /// The bytes of a transformed value.
  case encoded(isTagged: Bool)
  /// The key of an object whose entity has this root.
  case key(root: Int)
  /// The number of an entity.
  case entity
  /// The number of the entity of a name.
  case entityName
  /// The first text that begins with the constant, and the first text after all that do.
  case prefixStart, prefixEnd
  /// What is left of a text under these options.
  case folded(TextOptions)
  /// A regular expression.
  case pattern(TextOptions)
}
