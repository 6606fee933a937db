import ManagedObjectModel

extension ModelReader {
  /// Creates a description for each entity, without its properties.
  func declareEntities(_ elements: [SourceElement]) {
    for element in elements {
      var reader = ElementReader(element, in: file)
      guard let name = SourceName.read(with: &reader) else { continue }
      guard entitiesByName[name] == nil else {
        reader.error(
          .duplicateName, "name", "There is another entity \(name).", "Rename one of them.")
        continue
      }
      let entity = NSEntityDescription()
      entity.name = name
      readAttributes(of: entity, name: name, with: &reader)
      entitiesByName[name] = entity
      declarations.append(Declaration(element: reader, entity: entity, name: name))
    }
  }

  private func readAttributes(
    of entity: NSEntityDescription, name: String, with reader: inout ElementReader
  ) {
    var source = EntitySourceInfo(position: file.lines.position(ofByte: reader.element.offset))
    source.codeGeneration = readCodeGeneration(with: &reader)
    if let text = reader.nonEmptyText("representedClassName") {
      source.className = SourceClassName(text)
      if source.className == nil {
        reader.error(
          .badName, "representedClassName", "\"\(text)\" is not the name of a class.",
          "Name a class.")
      }
      entity.managedObjectClassName = source.className.map { name in
        module.map(name.qualified(in:)) ?? name.text
      }
      // Older data modelers write the base class where newer ones write nothing.
      if text == "NSManagedObject" { source.className = nil }
    }
    entity.isAbstract = reader.flag("isAbstract") ?? false
    entity.storedRenamingIdentifier =
      reader.nonEmptyText("elementID") ?? reader.nonEmptyText("renamingIdentifier")
    entity.versionHashModifier = reader.nonEmptyText("versionHashModifier")
    entity.userInfo = UserInfo.read(inside: reader)
    _ = reader.text("parentEntity")  // resolved when all entities are known
    entity.coreSpotlightDisplayNameExpression =
      SourcePredicate.expression("coreSpotlightDisplayNameExpression", with: &reader)
    reader.ignore("syncable")
    reader.finish()
    info.entities[name] = source
    offsets[name] = reader.element.offset
  }

  private func readCodeGeneration(with reader: inout ElementReader)
    -> EntitySourceInfo.CodeGeneration
  {
    guard let text = reader.nonEmptyText("codeGenerationType") else { return .manual }
    if let known = EntitySourceInfo.CodeGeneration(rawValue: text) { return known }
    reader.error(
      .badValue, "codeGenerationType", "\"\(text)\" is not a way to generate code.",
      "Write class, category or none.")
    return .manual
  }
}

// MARK: - Inheritance

extension ModelReader {
  /// Sets the subentities of each entity.
  ///
  /// An entity in a cycle, or with too many ancestors, gets no parent.
  func resolveParents() {
    var parents: [String: String] = [:]
    for declaration in declarations {
      guard let parent = declaration.element.element[attribute: "parentEntity"], !parent.isEmpty
      else { continue }
      if entitiesByName[parent] == nil {
        declaration.element.error(
          .unresolved, "parentEntity",
          "The parent \(parent) of \(declaration.name) is not an entity of this model.",
          "Correct the name, or add the entity.")
      } else {
        parents[declaration.name] = parent
      }
    }
    let cyclic = reportCycles(in: parents)
    for name in cyclic { parents[name] = nil }
    let refused = reportDepth(of: parents)
    var children: [String: [NSEntityDescription]] = [:]
    for declaration in declarations where !refused.contains(declaration.name) {
      if let parent = parents[declaration.name] {
        children[parent, default: []].append(declaration.entity)
      }
    }
    for declaration in declarations {
      if let subentities = children[declaration.name] {
        declaration.entity.subentities = subentities
      }
    }
  }

  /// Reports the first entity with too many ancestors, and returns all such entities.
  private func reportDepth(of parents: [String: String]) -> Set<String> {
    var tooDeep: Set<String> = []
    for declaration in declarations {
      var depth = 0
      var next = parents[declaration.name]
      while let name = next, depth <= Limits.inheritanceDepth {
        depth += 1
        next = parents[name]
      }
      guard depth > Limits.inheritanceDepth else { continue }
      if tooDeep.isEmpty {
        declaration.element.error(
          .tooLarge, "parentEntity",
          "The entity has more than \(Limits.inheritanceDepth) ancestors.",
          "Flatten the hierarchy.")
      }
      tooDeep.insert(declaration.name)
    }
    return tooDeep
  }

  /// Reports entities that are their own ancestors, and returns them.
  private func reportCycles(in parents: [String: String]) -> Set<String> {
    var cyclic: Set<String> = []
    var done: Set<String> = []
    for declaration in declarations {
      var line: [String] = []
      var onLine: Set<String> = []
      var next: String? = declaration.name
      while let name = next, !done.contains(name), onLine.insert(name).inserted {
        line.append(name)
        next = parents[name]
      }
      done.formUnion(line)
      // The line ends at a root, at an entity that was already visited, or at a cycle.
      guard let name = next, let start = line.firstIndex(of: name) else { continue }
      cyclic.formUnion(line[start...])
      report(cycle: Array(line[start...]))
    }
    return cyclic
  }

  private func report(cycle: [String]) {
    guard let declaration = declarations.first(where: { cycle.contains($0.name) }) else { return }
    let start = cycle.firstIndex(of: declaration.name) ?? 0
    let round = (cycle[start...] + cycle[...start]).joined(separator: " → ")
    declaration.element.error(
      .cycle, "parentEntity", "The entity inherits from itself: \(round).",
      "Give one of them another parent, or none.")
  }
}
