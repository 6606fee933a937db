import PredicateLanguage

extension NSExpression {
  /// The properties of the evaluated object that the expression reads: the first key of each key
  /// path, without the collection operators.
  var firstKeys: [String] {
    switch expressionType {
    case .keyPath:
      keyPath.split(separator: ".").first.map(String.init).flatMap {
        $0.hasPrefix("@") ? nil : [$0]
      } ?? []
    case .function:
      (arguments ?? []).flatMap(\.firstKeys)
    default:
      []
    }
  }
}
