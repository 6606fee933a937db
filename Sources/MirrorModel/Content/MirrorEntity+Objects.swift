import Foundation

extension MirrorEntity {
  /// Returns an object's attribute values, by `MirrorAttribute.key`, without nulls.
  ///
  /// - Parameters:
  ///   - unreadable: Called for each property whose value cannot be read or converted. The property
  ///     is left out.
  ///   - value: Returns the value of a property, from an object or a snapshot. A `BorrowedFile` may
  ///     stand for bytes.
  package func values(
    unreadable: (_ property: String, any Error) -> Void, _ value: (String) throws -> Any?
  ) -> [String: MirrorValue] {
    var values: [String: MirrorValue] = [:]
    for property in attributeProperties {
      do {
        guard let whole = try value(property) else { continue }
        let converted = try attributes(of: property).map { attribute in
          (attribute.key, try attribute.value(of: attribute.elements.reduce(whole, Self.element)))
        }
        for (key, value) in converted where value != .null { values[key] = value }
      } catch {
        unreadable(property, error)
      }
    }
    return values
  }

  /// Returns an object's attribute values, or throws the first error.
  package func values(_ value: (String) throws -> Any?) throws -> [String: MirrorValue] {
    var failure: (any Error)?
    let values = values(unreadable: { failure = failure ?? $1 }, value)
    if let failure { throw failure }
    return values
  }

  private static func element(_ whole: Any?, _ name: String) -> Any? {
    (whole as? [String: Any])?[name]
  }

  /// Returns the value to set on an object for an attribute property; nil for none.
  ///
  /// Files are mapped, not read; composite attributes become dictionaries.
  ///
  /// - Throws: A transformer's error, or an error of reading a file.
  package func objectValue(of property: String, in content: ObjectContent) throws -> Any? {
    let parts = attributes(of: property)
    if let part = parts.first, part.elements.isEmpty {
      return try part.objectValue(content[part.key])
    }
    var dictionary: [String: Any] = [:]
    for part in parts {
      guard let value = try part.objectValue(content[part.key]) else { continue }
      Self.set(value, at: part.elements[...], in: &dictionary)
    }
    return dictionary.isEmpty ? nil : dictionary
  }

  private static func set(
    _ value: Any, at path: ArraySlice<String>, in dictionary: inout [String: Any]
  ) {
    guard let name = path.first else { return }
    guard path.count > 1 else { return dictionary[name] = value }
    var inner = dictionary[name] as? [String: Any] ?? [:]
    set(value, at: path.dropFirst(), in: &inner)
    dictionary[name] = inner
  }
}
