import Foundation

extension MirrorEntity {
  /// The attributes' values of an object, of what key-value coding gives for each property.
  ///
  /// - Parameter value: Gives the value of a property: an object's, or a snapshot's. A `LentFile` may stand for bytes.
  /// - Throws: What a value transformer throws, and what reading throws.
  package func values(_ value: (String) throws -> Any?) throws -> [String: MirrorValue] {
    var values: [String: MirrorValue] = [:]
    for (property, places) in placesByProperty {
      guard let whole = try value(property) else { continue }
      for attribute in places.map({ attributes[$0] }) {
        let converted = try attribute.value(of: attribute.elements.reduce(whole, Self.element))
        if converted != .null { values[attribute.key] = converted }
      }
    }
    return values
  }

  private static func element(_ whole: Any?, _ name: String) -> Any? { (whole as? [String: Any])?[name] }

  /// The value that an object is given for a property that is an attribute; nil for none.
  ///
  /// Files are mapped, not read; composite attributes become dictionaries.
  ///
  /// - Throws: What a value transformer throws, and what reading a file throws.
  package func objectValue(of property: String, in content: ObjectContent) throws -> Any? {
    let parts = attributes(of: property)
    if let part = parts.first, part.elements.isEmpty { return try part.objectValue(content[part.key]) }
    var dictionary: [String: Any] = [:]
    for part in parts {
      guard let value = try part.objectValue(content[part.key]) else { continue }
      Self.set(value, at: part.elements[...], in: &dictionary)
    }
    return dictionary.isEmpty ? nil : dictionary
  }

  private static func set(_ value: Any, at path: ArraySlice<String>, in dictionary: inout [String: Any]) {
    guard let name = path.first else { return }
    guard path.count > 1 else { return dictionary[name] = value }
    var inner = dictionary[name] as? [String: Any] ?? [:]
    set(value, at: path.dropFirst(), in: &inner)
    dictionary[name] = inner
  }
}
