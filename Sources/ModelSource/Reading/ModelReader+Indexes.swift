import ManagedObjectModel

extension ModelReader {
  /// Reads the fetch indexes, uniqueness constraints and deprecated compound indexes of an entity.
  func readIndexes(of declaration: Declaration) {
    let element = declaration.element.element
    declaration.entity.indexes = readFetchIndexes(
      element.children(named: "fetchIndex"), of: declaration)
    declaration.entity.uniquenessConstraints = element.children(named: "uniquenessConstraints")
      .flatMap {
        list -> [[String]] in
        readTuples(
          in: list, of: declaration, tuple: "uniquenessConstraint", item: "constraint",
          isConstraint: true)
      }
    declaration.entity.storedCompoundIndexes = element.children(named: "compoundIndexes").flatMap {
      list -> [[String]] in
      readTuples(
        in: list, of: declaration, tuple: "compoundIndex", item: "index", isConstraint: false)
    }
  }

  // MARK: Lists of names

  /// Reads `<tuple><item value="name"/>…</tuple>…`; an item outside of a tuple is a tuple of one.
  private func readTuples(
    in list: SourceElement, of declaration: Declaration, tuple: String, item: String,
    isConstraint: Bool
  ) -> [[String]] {
    let outer = ElementReader(list, in: file, inside: declaration.element.path)
    return list.children.compactMap { child in
      let items: [SourceElement]
      switch child.name {
      case tuple: items = child.children
      case item: items = [child]
      default:
        outer.unknownChild(child)
        return nil
      }
      let reader = ElementReader(child, in: file, inside: declaration.element.path)
      let names = items.compactMap { element -> String? in
        guard element.name == item else {
          reader.unknownChild(element)
          return nil
        }
        return readItem(element, of: declaration, isConstraint: isConstraint)
      }
      if items.isEmpty {
        reader.warning(.missingValue, nil, "The element is empty and is ignored.", "Remove it.")
      }
      return names.isEmpty ? nil : names
    }
  }

  private func readItem(_ element: SourceElement, of declaration: Declaration, isConstraint: Bool)
    -> String?
  {
    var reader = ElementReader(element, in: file, inside: declaration.element.path)
    guard let name = reader.requiredText("value", remedy: "Name a property.") else { return nil }
    reader.finish()
    guard let property = properties.property(atPath: name, of: declaration.entity) else {
      guard isConstraint else {
        // Older models index key paths through relationships; Core Data omits those too.
        reader.warning(
          .unresolved, "value",
          "\(name) is not a property of \(declaration.name), so the index omits it.",
          "Correct the name, or remove it.")
        return nil
      }
      reader.error(
        .unresolved, "value", "\(name) is not a property of \(declaration.name).",
        "Correct the name, or remove it.")
      return nil
    }
    if isConstraint, !property.canBeUnique {
      reader.error(
        .contradiction, "value",
        "\(name) cannot be unique; only attributes and to-one relationships can.",
        "Remove it from the list.")
      return nil
    }
    return name
  }
}

extension NSPropertyDescription {
  /// Whether a uniqueness constraint may contain the property.
  fileprivate var canBeUnique: Bool {
    if let relationship = self as? NSRelationshipDescription { return !relationship.isToMany }
    return self is NSAttributeDescription
  }
}
