import ManagedObjectModel

extension AttributeReader {
  /// Creates the description of a derived attribute.
  func readDerivation(with reader: inout ElementReader) -> NSDerivedAttributeDescription {
    let attribute = NSDerivedAttributeDescription()
    let name = "derivationExpression"
    if reader.requiredText(name, remedy: "Write the expression that the value is derived by.")
      != nil
    {
      attribute.derivationExpression = SourcePredicate.expression(name, with: &reader)
    }
    return attribute
  }
}
