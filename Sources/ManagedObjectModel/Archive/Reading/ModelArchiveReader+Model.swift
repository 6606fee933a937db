import Foundation

/// The keys of the whole model.
///
/// | key of `NSManagedObjectModel` | meaning |
/// |---|---|
/// | `NSEntities` | dictionary of entities by name; `NSKnownKeysDictionary1` in a model cache |
/// | `NSConfigurations` | dictionary of collections of entities by name; missing if empty |
/// | `NSFetchRequestTemplates` | dictionary of fetch requests by name; may be missing |
/// | `NSVersionIdentifiers` | set of strings |
/// | `CDMCompilerXcodeVersion`, `CDMCompilerToolVersion` | the compiler's version; not read |
/// | `ParhelionLocalizationDictionary` | our own: Apple's models keep it in another file |
extension ModelArchiveReader {
  func readConfigurations() throws(ModelArchiveError) {
    for (name, value) in try root.entries("NSConfigurations").sorted(by: { $0.key < $1.key }) {
      guard case .object(let collection) = value else {
        throw root.error(.wrongKind, "A set of entities is expected.", key: "NSConfigurations")
      }
      let values =
        collection.isDictionary ? try collection.entries().map(\.value) : try collection.elements()
      var members: [NSEntityDescription] = []
      for value in values {
        guard case .object(let object) = value, let entity = entities[object.index] else {
          throw collection.error(
            .contradiction, "A configuration contains something that is not an entity of the model."
          )
        }
        members.append(entity)
      }
      members.sort { ($0.name ?? "") < ($1.name ?? "") }
      model.setEntities(members, forConfigurationName: name)
    }
  }

  func readIdentifiers() throws(ModelArchiveError) {
    var identifiers: Set<AnyHashable> = []
    for element in try root.elements("NSVersionIdentifiers") {
      guard let identifier = try element.decoded() as? AnyHashable else {
        throw root.error(
          .wrongKind, "A version identifier must be a string, not \(element.kind).",
          key: "NSVersionIdentifiers")
      }
      identifiers.insert(identifier)
    }
    model.versionIdentifiers = identifiers
    guard let texts = try root.object("ParhelionLocalizationDictionary") else { return }
    var dictionary: [String: String] = [:]
    for (key, value) in try texts.entries() { dictionary[key] = try value.text() }
    model.localizationDictionary = dictionary
  }
}
