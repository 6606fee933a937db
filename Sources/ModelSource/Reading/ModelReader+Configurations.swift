import ManagedObjectModel

extension ModelReader {
  /// Reads the configurations: names for sets of entities.
  func readConfigurations(_ elements: [SourceElement]) {
    for element in elements {
      var reader = ElementReader(element, in: file)
      guard let name = reader.requiredText("name", remedy: "Name the configuration.") else {
        continue
      }
      if reader.flag("usedWithCloudKit") ?? false { info.cloudKitConfigurations.append(name) }
      reader.finish()
      guard model.entities(forConfigurationName: name) == nil else {
        reader.error(
          .duplicateName, "name", "There is another configuration \(name).", "Rename one of them.")
        continue
      }
      model.setEntities(readMembers(of: reader), forConfigurationName: name)
    }
  }

  private func readMembers(of configuration: ElementReader) -> [NSEntityDescription] {
    var members: [NSEntityDescription] = []
    var names: Set<String> = []
    for child in configuration.element.children {
      guard child.name == "memberEntity" else {
        configuration.unknownChild(child)
        continue
      }
      var reader = ElementReader(child, in: file, inside: configuration.path)
      guard let name = reader.requiredText("name", remedy: "Name an entity.") else { continue }
      reader.finish()
      guard let entity = entitiesByName[name] else {
        reader.error(
          .unresolved, "name", "The member \(name) is not an entity of this model.",
          "Correct the name, or remove it.")
        continue
      }
      guard names.insert(name).inserted else {
        reader.warning(
          .duplicateName, "name", "The member \(name) occurs twice.", "Remove one of them.")
        continue
      }
      members.append(entity)
    }
    return members
  }
}
