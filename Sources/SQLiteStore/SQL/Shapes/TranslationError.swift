/// The reason why a fetch has no SQL, in the words of Apple's exception, with a remedy.
struct TranslationError: Error {
  let message: String
  let remedy: String
  /// Whether the message includes the text of the fetch's predicate.
  var isAboutPredicate = false

  init(_ message: String, _ remedy: String) {
    self.message = message
    self.remedy = remedy
  }
}

extension TranslationError {
  /// A condition or expression of a kind that SQL cannot express.
  static func unsupported(_ reason: String, _ remedy: String) -> TranslationError {
    var refusal = TranslationError(reason, remedy)
    refusal.isAboutPredicate = true
    return refusal
  }

  static func unknownKeyPath(_ path: String, of entity: String) -> TranslationError {
    TranslationError(
      "keypath \(path) not found in entity \(entity)",
      "Name a property that the store persists. It does not persist transient properties, fetched properties, and properties of classes."
    )
  }

  static func toMany(_ path: String) -> TranslationError {
    TranslationError(
      "to-many key not allowed here: \(path)",
      "Compare with ANY, ALL or NONE, ask for @count, or use SUBQUERY; sort by attributes and to-one key paths."
    )
  }

  static func severalToMany(_ path: String) -> TranslationError {
    TranslationError(
      "multiple to-many keys not allowed here: \(path)",
      "Put the inner relationship into a subquery: SUBQUERY(outer, $x, ANY $x.inner.name == …).@count > 0."
    )
  }

  static func function(_ text: String, _ remedy: String) -> TranslationError {
    TranslationError("Unsupported function expression \(text)", remedy)
  }
}
