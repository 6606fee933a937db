/// The model's properties by class, for the keys of `@NSManaged` members.
struct ManagedKeys: Sendable {
  /// The names of the properties of a class's entity, including inherited ones, by the class's
  /// name.
  var propertiesByClass: [String: Set<String>] = [:]

  /// The ordinals of the properties, for classes of a single entity, by the class's name.
  ///
  /// An ordinal is a property's position in the entity's rows.
  var ordinalsByClass: [String: [String: Int]] = [:]

  enum Key: Equatable, Sendable {
    case property(String)
    case primitive(String)
    case unknown
  }

  /// Returns the key that a property with this name reads.
  ///
  /// A class without an entity may have any property.
  func key(of property: String, inClass name: String) -> Key {
    guard let known = propertiesByClass[name], !known.contains(property) else {
      return .property(property)
    }
    if let rest = property.afterPrefix("primitive"),
      let key = relationship(capitalized: rest, in: known)
    {
      return .primitive(key)
    }
    return .unknown
  }

  /// Returns the relationship in a method's name: `tags` for `Tags`.
  func relationship(capitalized name: String, inClass className: String) -> String? {
    guard let known = propertiesByClass[className] else { return name.lowercasingFirst }
    return relationship(capitalized: name, in: known)
  }

  private func relationship(capitalized name: String, in known: Set<String>) -> String? {
    known.sorted().first { $0.capitalizingFirst == name }
  }
}

extension String {
  func afterPrefix(_ prefix: String) -> String? {
    hasPrefix(prefix) && count > prefix.count ? String(dropFirst(prefix.count)) : nil
  }

  func beforeSuffix(_ suffix: String) -> String? {
    hasSuffix(suffix) && count > suffix.count ? String(dropLast(suffix.count)) : nil
  }

  var capitalizingFirst: String { prefix(1).uppercased() + dropFirst() }
  var lowercasingFirst: String { prefix(1).lowercased() + dropFirst() }
}
