import PredicateLanguage

extension NSExpression {
  /// The text that represents a derivation in its attribute's version hash, such as
  /// `canonical:(name)` or `count:(items)`.
  ///
  /// A collection operator at the end of a key path is written as its function, since compiled
  /// models contain either form. The result is nil for an expression that no derivation can have.
  var derivationText: String? {
    switch expressionType {
    case .keyPath:
      return Self.text(ofKeyPath: keyPath)
    case .function:
      // An operand is the start of a key path, such as a subquery. No model with a known hash has
      // such a derivation.
      guard case .function(operand: nil, _, _) = node else { return nil }
      let texts = (arguments ?? []).map(\.derivationText)
      let known = texts.compactMap { $0 }
      return known.count == texts.count ? "\(function)(\(known.joined(separator: ", ")))" : nil
    default:
      return nil
    }
  }

  private static func text(ofKeyPath keyPath: String) -> String {
    let keys = keyPath.split(separator: ".")
    guard let last = keys.last, last.hasPrefix("@"), keys.count > 1 else { return keyPath }
    return "\(last.dropFirst()):(\(keys.dropLast().joined(separator: ".")))"
  }
}
