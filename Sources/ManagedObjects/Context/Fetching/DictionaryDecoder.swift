import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// Decodes values that a store leaves encoded in fetched dictionaries: transformable attributes,
/// and values in separate files.
struct DictionaryDecoder {
  /// The attributes whose values may be encoded, by column name.
  private let attributes: [(name: String, attribute: NSAttributeDescription)]

  init(_ plan: FetchPlan) {
    let columns = ResultColumnAttributes(plan.specification, of: plan.layout.entity)
    attributes = columns.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }.filter {
      $0.attribute.attributeType == .transformableAttributeType
        || $0.attribute.allowsExternalBinaryDataStorage
    }
  }

  /// Decodes the encoded values of fetched dictionaries.
  ///
  /// - Throws: An error if a transformer fails or a file cannot be read.
  func decode(_ dictionaries: [[String: Any]]) throws -> [[String: Any]] {
    guard !attributes.isEmpty else { return dictionaries }
    return try dictionaries.map(decode)
  }

  private func decode(_ dictionary: [String: Any]) throws -> [String: Any] {
    var decoded = dictionary
    for (name, attribute) in attributes {
      guard let value = dictionary[name] else { continue }
      decoded[name] = try decodeValue(value, attribute)
    }
    return decoded
  }

  private func decodeValue(_ value: Any, _ attribute: NSAttributeDescription) throws -> Any? {
    switch value {
    case let encoded as EncodedValue: try AttributeTransformer(attribute).decode(encoded.data)
    case let external as ExternalValue: try decodeData(external.readableData(), attribute)
    case let binary as BinaryValue: binary.data
    // An in-memory store returns the bytes unchanged.
    case let data as Data: try decodeData(data, attribute)
    default: value
    }
  }

  private func decodeData(_ data: Data, _ attribute: NSAttributeDescription) throws -> Any? {
    attribute.attributeType == .transformableAttributeType
      ? try AttributeTransformer(attribute).decode(data) : data
  }
}

/// The attributes of a dictionary fetch's columns, by column name.
private struct ResultColumnAttributes {
  private(set) var attributes: [String: NSAttributeDescription] = [:]

  init(_ specification: FetchSpecification, of entity: NSEntityDescription) {
    guard let properties = specification.propertiesToFetch, !properties.isEmpty else {
      attributes = entity.attributesByName
      return
    }
    for property in properties {
      guard let (name, path) = Self.column(property) else { continue }
      attributes[name] = Self.attribute(at: path.components[...], of: entity)
    }
  }

  private static func column(_ property: Any) -> (name: String, path: PropertyPath)? {
    let name = property as? String ?? (property as? NSPropertyDescription)?.name
    guard let name, let path = ResultColumn.path(property) else { return nil }
    return (name, path)
  }

  private static func attribute(
    at path: ArraySlice<String>, of entity: NSEntityDescription
  ) -> NSAttributeDescription? {
    guard let first = path.first, let property = property(first, of: entity) else { return nil }
    let rest = path.dropFirst()
    if rest.isEmpty { return property as? NSAttributeDescription }
    return (property as? NSRelationshipDescription)?.destinationEntity.flatMap {
      attribute(at: rest, of: $0)
    }
  }

  /// A property of an entity or of one of its subentities.
  ///
  /// Rows of other entities have no value for it.
  private static func property(_ name: String, of entity: NSEntityDescription)
    -> NSPropertyDescription?
  {
    if let own = entity.propertiesByName[name] { return own }
    return entity.subentities.lazy.compactMap { property(name, of: $0) }.first
  }
}

extension ExternalValue {
  /// The bytes of the value.
  ///
  /// - Throws: A `StoreError` that names the file if it is missing or cannot be read.
  func readableData() throws(StoreError) -> Data {
    do {
      return try data()
    } catch {
      throw StoreError(
        .externalData,
        "The file \(file.path) of an attribute's bytes cannot be read: \(error). Restore the file, or set the attribute again.",
        context: ["path": file.path], underlying: error)
    }
  }
}
