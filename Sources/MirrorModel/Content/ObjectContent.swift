/// The values of an object, independent of any context, with record names for related objects.
package struct ObjectContent: Hashable, Sendable, Codable {
  /// The name of the object's own entity.
  package var entity: String
  /// The name of the object's record.
  package var recordName: String
  /// The attributes' values, by `MirrorAttribute.key`; an absent one is null.
  package var values: [String: MirrorValue]
  /// The target's record name of each to-one relationship that has a target, by relationship.
  package var references: [String: String]
  /// The record names of the members of ordered to-many relationships, in their order.
  package var orders: [String: [String]]

  package init(
    entity: String, recordName: String, values: [String: MirrorValue] = [:],
    references: [String: String] = [:], orders: [String: [String]] = [:]
  ) {
    self.entity = entity
    self.recordName = recordName
    self.values = values
    self.references = references
    self.orders = orders
  }

  /// The value of an attribute.
  package subscript(key: String) -> MirrorValue { values[key] ?? .null }
}

extension ObjectContent {
  /// Replaces a property with the one of another content.
  package mutating func take(_ property: String, from other: ObjectContent) {
    for key in keys(of: property) { values[key] = nil }
    for key in other.keys(of: property) { values[key] = other.values[key] }
    references[property] = other.references[property]
    orders[property] = other.orders[property]
  }

  /// Whether the property has a value, a target or members.
  package func has(_ property: String) -> Bool {
    references[property] != nil || orders[property].map { !$0.isEmpty } ?? false
      || keys(of: property).contains { self[$0] != .null }
  }

  /// Returns a content with these properties only.
  package func part(_ properties: some Sequence<String>) -> ObjectContent {
    var part = ObjectContent(entity: entity, recordName: recordName)
    for property in properties { part.take(property, from: self) }
    return part
  }

  /// The keys of a property's values: its name, or those of a composite attribute's elements.
  private func keys(of property: String) -> [String] {
    values[property] != nil ? [property] : values.keys.filter { $0.hasPrefix(property + ".") }
  }
}
