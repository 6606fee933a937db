import ManagedObjectModel

extension AttributeReader {
  /// Makes the description of an attribute that the store computes.
  func readDerivation(with reader: inout ElementReader) -> NSDerivedAttributeDescription {
    _ = reader.requiredText("derivationExpression", remedy: "Write the expression that the value is derived by.")
    return NSDerivedAttributeDescription()
  }
}
