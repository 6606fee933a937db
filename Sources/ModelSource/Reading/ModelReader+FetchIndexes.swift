import ManagedObjectModel
import PredicateLanguage

extension ModelReader {
  /// Reads the `<fetchIndex>` elements of an entity.
  func readFetchIndexes(_ elements: [SourceElement], of declaration: Declaration)
    -> [NSFetchIndexDescription]
  {
    var names: Set<String> = []
    return elements.compactMap { element in
      var reader = ElementReader(element, in: file, inside: declaration.element.path)
      guard let name = reader.requiredText("name", remedy: "Name the index.") else { return nil }
      let condition = SourcePredicate.predicate("partialIndexPredicate", with: &reader)
      reader.finish()
      guard names.insert(name).inserted else {
        reader.error(
          .duplicateName, "name", "\(declaration.name) has another index \(name).",
          "Rename one of them.")
        return nil
      }
      let index = NSFetchIndexDescription(
        name: name, elements: readElements(of: reader, declaration))
      index.partialIndexPredicate = condition
      if index.elements.isEmpty {
        reader.warning(
          .missingValue, nil, "The index \(name) has no elements.", "Add one, or remove the index.")
      }
      return index
    }
  }

  private func readElements(of index: ElementReader, _ declaration: Declaration)
    -> [NSFetchIndexElementDescription]
  {
    index.element.children.compactMap { child in
      guard child.name == "fetchIndexElement" else {
        index.unknownChild(child)
        return nil
      }
      var reader = ElementReader(child, in: file, inside: index.path)
      let property = readIndexedProperty(with: &reader, declaration)
      let type = readCollation(with: &reader)
      let isAscending = readOrder(with: &reader)
      reader.finish()
      guard let property else { return nil }
      let element = NSFetchIndexElementDescription(property: property, collationType: type)
      element.isAscending = isAscending
      return element
    }
  }

  private func readIndexedProperty(
    with reader: inout ElementReader, _ declaration: Declaration
  ) -> NSPropertyDescription? {
    let resultType = reader.nonEmptyText("expressionType")
    if reader.element[attribute: "expression"] != nil {
      guard let expression = SourcePredicate.expression("expression", with: &reader) else {
        return nil
      }
      return describe(expression, type: readExpressionType(resultType, reader))
    }
    guard
      let name = reader.requiredText("property", remedy: "Name a property, or write an expression.")
    else {
      return nil
    }
    guard let property = properties.property(atPath: name, of: declaration.entity) else {
      reader.error(
        .unresolved, "property", "\(name) is not a property of \(declaration.name).",
        "Correct the name, or remove it.")
      return nil
    }
    guard name.contains("."), let element = property as? NSAttributeDescription else {
      return property
    }
    // An element of a composite is indexed by its path, since its own name is not unique.
    return describe(PredicateLanguage.NSExpression(forKeyPath: name), type: element.attributeType)
  }

  private func describe(
    _ expression: PredicateLanguage.NSExpression, type: NSAttributeType
  ) -> NSExpressionDescription {
    let description = NSExpressionDescription()
    description.name = expression.description
    description.expression = expression
    description.expressionResultType = type
    return description
  }

  private func readExpressionType(_ name: String?, _ reader: ElementReader) -> NSAttributeType {
    guard let name else { return .undefinedAttributeType }
    if let type = NSAttributeType(sourceName: name) { return type }
    reader.error(
      .badValue, "expressionType", "\"\(name)\" is not a type.",
      "Write one of \(NSAttributeType.sourceNames).")
    return .undefinedAttributeType
  }

  private func readCollation(with reader: inout ElementReader) -> NSFetchIndexElementType {
    guard let name = reader.nonEmptyText("type"), name != "Binary" else { return .binary }
    if name == "RTree" { return .rTree }
    reader.error(.badValue, "type", "\"\(name)\" is not a type of index.", "Write Binary or RTree.")
    return .binary
  }

  private func readOrder(with reader: inout ElementReader) -> Bool {
    guard let name = reader.nonEmptyText("order"), name != "ascending" else { return true }
    if name == "descending" { return false }
    reader.error(
      .badValue, "order", "\"\(name)\" is not an order.", "Write ascending or descending.")
    return true
  }
}
