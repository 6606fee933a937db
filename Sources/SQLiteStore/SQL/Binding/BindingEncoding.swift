import TextMatching

/// The encoding in which a constant is bound: that of the column that it is compared with.
enum BindingEncoding: Hashable, Sendable {
  /// The encoding of the constant's own kind.
  case own
  case number, text, date, uuid
  /// Bytes, after a tag if the column may refer to a file.
  case data(isTagged: Bool)
  /// The bytes of a transformed value.
  case encoded(isTagged: Bool)
  /// The key of an object whose entity has this root.
  case key(root: Int)
  /// The number of an entity.
  case entity
  /// The number of the entity whose name is the constant.
  case entityName
  /// The bounds of the texts that begin with the constant: the first one, and the first one after
  /// all of them.
  case prefixStart, prefixEnd
  /// A text that is folded by these options.
  case folded(TextOptions)
  /// A full-text query in the language of the index.
  case fullText
  /// A regular expression.
  case pattern(TextOptions)
}
