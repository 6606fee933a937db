import ManagedObjectModel

/// A model's composites: groups of attributes, which composite attributes use by name.
///
/// Each use creates new descriptions, since a description has only one owner.
struct CompositeTable {
  private var composites: [String: ElementReader] = [:]
  private let budget = Budget()

  /// Counts the descriptions that all uses created.
  private final class Budget {
    var spent = 0
  }

  /// Records the `<composite>` elements and reports their issues.
  mutating func declare(_ declared: [SourceElement], in file: SourceFile) {
    guard declared.count <= Limits.composites else {
      file.record(
        .error, .tooLarge, at: declared.first?.offset,
        "The model declares more than \(Limits.composites) composites.",
        "Split the model.")
      return
    }
    var order: [(name: String, composite: ElementReader)] = []
    for element in declared {
      var reader = ElementReader(element, in: file)
      guard let name = SourceName.read(with: &reader) else { continue }
      reader.ignore("elementID", "syncable", "versionHashModifier")
      reader.finish()
      guard composites[name] == nil else {
        reader.error(
          .duplicateName, "name", "There is another composite \(name).", "Rename one of them.")
        continue
      }
      composites[name] = reader
      order.append((name, reader))
    }
    reportCycles(among: order.map(\.name))
    for (name, composite) in order {
      if composite.element.children(named: "attribute").isEmpty {
        composite.error(
          .missingValue, nil, "The composite \(name) has no attributes.", "Add one, or remove it.")
      }
      _ = elements(of: composite, inside: [name], in: file)
    }
  }

  /// Creates the descriptions of a composite's elements, for an attribute that uses it.
  ///
  /// Issues of the elements themselves were reported with the composite's declaration and are not
  /// repeated.
  func elements(
    of name: String?, usedBy user: ElementReader, inside enclosing: [String]
  ) -> [NSAttributeDescription] {
    guard let name else {
      user.error(
        .missingValue, "composite", "The attribute does not name its composite.",
        "Choose a composite.")
      return []
    }
    guard let composite = composites[name] else {
      user.error(
        .unresolved, "composite", "There is no composite \(name).",
        "Correct the name, or add the composite.")
      return []
    }
    // The declaration of the composite reports the cycle.
    guard !enclosing.contains(name) else { return [] }
    guard enclosing.count < Limits.compositeDepth, budget.spent < Limits.compositeElements else {
      reportSize(of: user)
      return []
    }
    let silent = SourceFile(path: user.file.path, bytes: [], log: IssueLog())
    let created = elements(of: composite, inside: enclosing + [name], in: silent)
    // A composite may exceed the limits only in this use, so its declaration reported nothing.
    if silent.log.firstErrorCode == .tooLarge { reportSize(of: user) }
    return created
  }

  private func reportSize(of user: ElementReader) {
    user.error(
      .tooLarge, "composite",
      "Composites are nested more than \(Limits.compositeDepth) deep, or expand to more than \(Limits.compositeElements) values.",
      "Make the composites smaller.")
  }

  private func elements(
    of composite: ElementReader, inside enclosing: [String], in file: SourceFile
  ) -> [NSAttributeDescription] {
    var names: Set<String> = []
    return composite.element.children.compactMap { child in
      var reader = ElementReader(child, in: file, inside: composite.path)
      guard child.name == "attribute" else {
        if child.name != "userInfo" {
          ElementReader(composite.element, in: file).unknownChild(child)
        }
        return nil
      }
      budget.spent += 1
      var source = AttributeSourceInfo(position: SourcePosition(line: 1, column: 1))
      let attribute = AttributeReader(composites: self, enclosing: enclosing).read(
        with: &reader, source: &source)
      if let attribute, !names.insert(attribute.name).inserted {
        reader.error(
          .duplicateName, "name", "The composite has another attribute \(attribute.name).",
          "Rename one of them.")
      }
      return attribute
    }
  }

  // MARK: Cycles

  private func reportCycles(among names: [String]) {
    var reported: Set<String> = []
    for name in names where !reported.contains(name) {
      guard let cycle = cycle(through: name) else { continue }
      reported.formUnion(cycle)
      composites[name]?.error(
        .cycle, "name", "The composite contains itself: \(cycle.joined(separator: " → ")).",
        "Remove one of the uses.")
    }
  }

  /// The shortest path from a composite back to itself.
  private func cycle(through name: String) -> [String]? {
    var paths: [[String]] = [[name]]
    var seen: Set<String> = []
    while let path = paths.first {
      paths.removeFirst()
      for used in uses(of: path[path.endIndex - 1]) {
        if used == name { return path + [name] }
        if seen.insert(used).inserted { paths.append(path + [used]) }
      }
    }
    return nil
  }

  private func uses(of name: String) -> [String] {
    composites[name]?.element.children(named: "attribute").compactMap { $0[attribute: "composite"] }
      ?? []
  }
}
