import ManagedObjectModel

extension ModelReader {
  typealias FetchRequest = NSFetchRequest<any NSFetchRequestResult>

  /// Reads the fetch request templates of the model.
  func readFetchRequestTemplates(_ elements: [SourceElement]) {
    var names: Set<String> = []
    for element in elements {
      var reader = ElementReader(element, in: file)
      let name = reader.requiredText("name", remedy: "Name the fetch request.")
      guard let request = readFetchRequest(with: &reader), let name else { continue }
      guard names.insert(name).inserted else {
        reader.error(
          .duplicateName, "name", "There is another fetch request \(name).", "Rename one of them.")
        continue
      }
      model.setFetchRequestTemplate(request, forName: name)
    }
  }

  /// Reads a fetched property, which contains its fetch request.
  func readFetchedProperty(with reader: inout ElementReader) -> NSFetchedPropertyDescription? {
    guard let name = SourceName.read(with: &reader) else { return nil }
    let property = NSFetchedPropertyDescription()
    property.name = name
    property.isOptional = reader.flag("optional") ?? false
    property.storedRenamingIdentifier =
      reader.nonEmptyText("elementID") ?? reader.nonEmptyText("renamingIdentifier")
    property.versionHashModifier = reader.nonEmptyText("versionHashModifier")
    property.userInfo = UserInfo.read(inside: reader)
    reader.ignore("syncable", "transient", "spotlightIndexingEnabled")
    reader.finish()
    let known: Set = ["fetchRequest", "userInfo"]
    for child in reader.element.children where !known.contains(child.name) {
      reader.unknownChild(child)
    }
    guard let element = reader.element.children(named: "fetchRequest").first else {
      reader.error(
        .missingValue, nil, "The fetched property has no fetch request.", "Choose its destination.")
      return property
    }
    var inner = ElementReader(element, in: file, inside: reader.path)
    inner.ignore("name")
    property.fetchRequest = readFetchRequest(with: &inner)
    return property
  }

  private func readFetchRequest(with reader: inout ElementReader) -> FetchRequest? {
    let request = FetchRequest()
    request.predicate = SourcePredicate.predicate("predicateString", with: &reader)
    request.resultType = readResultType(with: &reader)
    readFlags(of: request, with: &reader)
    request.fetchLimit = reader.count("fetchLimit") ?? 0
    request.fetchOffset = reader.count("fetchOffset") ?? 0
    request.fetchBatchSize = reader.count("fetchBatchSize") ?? 0
    let name = reader.requiredText("entity", remedy: "Choose the entity to fetch.")
    reader.finish()
    for child in reader.element.children { reader.unknownChild(child) }
    guard let name else { return nil }
    guard let entity = entitiesByName[name] else {
      reader.error(
        .unresolved, "entity", "The entity \(name) is not in this model.",
        "Correct the name, or add the entity.")
      return nil
    }
    request.entity = entity
    return request
  }

  private func readFlags(of request: FetchRequest, with reader: inout ElementReader) {
    request.includesSubentities = reader.flag("includeSubentities") ?? true
    // By default, as with Apple's compiler, a fetch of identifiers omits property values, and a
    // fetch of dictionaries omits pending changes.
    let values = reader.flag("includePropertyValues")
    request.includesPropertyValues = values ?? (request.resultType != .managedObjectIDResultType)
    let pending = reader.flag("includesPendingChanges")
    request.includesPendingChanges = pending ?? (request.resultType != .dictionaryResultType)
    request.returnsObjectsAsFaults = reader.flag("returnObjectsAsFaults") ?? true
    request.returnsDistinctResults = reader.flag("returnDistinctResults") ?? false
  }

  private func readResultType(with reader: inout ElementReader) -> NSFetchRequestResultType {
    guard let number = reader.count("resultType") else { return .managedObjectResultType }
    let known: [Int: NSFetchRequestResultType] = [
      0: .managedObjectResultType, 1: .managedObjectIDResultType, 2: .dictionaryResultType,
      4: .countResultType,
    ]
    if let type = known[number] { return type }
    reader.error(
      .badValue, "resultType", "\(number) is not a result type.",
      "Write 0 for objects, 1 for identifiers, 2 for dictionaries or 4 for a count.")
    return .managedObjectResultType
  }
}
