import Foundation
import PredicateLanguage

/// Indexes and constraints.
///
/// | key of the entity | elements |
/// |---|---|
/// | `NSFetchIndexDescriptions` | `NSFetchIndexDescription` |
/// | `NSCompoundIndexes` | arrays of names of properties: the form before fetch indexes |
/// | `NSUniqueTuples` | arrays of names of properties |
///
/// An `NSFetchIndexDescription` has `NSIndexName`, `NSIndexElements` and `NSPartialIndexPredicate`.
/// Newer compilers repeat fetch indexes of two or more elements in `NSCompoundIndexes`.
///
/// An `NSFetchIndexElementDescription` has `NSPropertyName`, `NSFetchIndexElementType` (0 binary, 1
/// R-tree) and `NSAscending`. An element of an expression also has `ParhelionExpression`, an
/// `NSExpressionDescription`, because Apple's key is not known.
extension ModelArchiveReader {
  func readIndexes(of entry: Entry) throws(ModelArchiveError) {
    entry.entity.uniquenessConstraints = try tuples("NSUniqueTuples", of: entry.object)
    entry.entity.storedCompoundIndexes = try tuples("NSCompoundIndexes", of: entry.object)
    let archived = try entry.object.elements("NSFetchIndexDescriptions")
    guard !archived.isEmpty else { return }
    let properties = entry.entity.propertiesByName
    var indexes: [NSFetchIndexDescription] = []
    for element in archived {
      guard let object = element.object(of: "NSFetchIndexDescription") else {
        throw entry.object.error(
          .unknownClass, "An index is expected.", key: "NSFetchIndexDescriptions")
      }
      if let index = try index(object, on: properties) { indexes.append(index) }
    }
    entry.entity.indexes = indexes
  }

  private func tuples(_ key: String, of object: ArchivedObject) throws(ModelArchiveError) -> [[Any]]
  {
    var tuples: [[Any]] = []
    for element in try object.elements(key) {
      guard case .object(let tuple) = element else {
        throw object.error(.wrongKind, "An array of names is expected.", key: key)
      }
      var names: [Any] = []
      for part in try tuple.elements() {
        names.append(try name(in: part, of: tuple))
      }
      tuples.append(names)
    }
    return tuples
  }

  /// The name of a property, archived as a string or as the property itself.
  private func name(in value: ArchivedValue, of tuple: ArchivedObject) throws(ModelArchiveError)
    -> String
  {
    if let name = try value.text() { return name }
    if let property = value.object(of: "NSPropertyDescription") {
      return try property.requiredString("NSPropertyName")
    }
    throw tuple.error(.wrongKind, "A property name is expected, not \(value.kind).")
  }

  /// The index, or nil if it has an element that is not a property of the entity.
  ///
  /// Version hashes do not depend on indexes, so the model can be used without the index.
  private func index(
    _ object: ArchivedObject, on properties: [String: NSPropertyDescription]
  ) throws(ModelArchiveError) -> NSFetchIndexDescription? {
    var elements: [NSFetchIndexElementDescription] = []
    for value in try object.elements("NSIndexElements") {
      guard let element = value.object(of: "NSFetchIndexElementDescription") else {
        throw object.error(
          .unknownClass, "An index element is expected.", key: "NSIndexElements")
      }
      guard let known = try indexElement(element, on: properties) else { return nil }
      elements.append(known)
    }
    let index = NSFetchIndexDescription(
      name: try object.requiredString("NSIndexName"), elements: elements)
    index.partialIndexPredicate = try PredicateArchiveReader.read(
      "NSPartialIndexPredicate", of: object)
    return index
  }

  private func indexElement(
    _ object: ArchivedObject, on properties: [String: NSPropertyDescription]
  ) throws(ModelArchiveError) -> NSFetchIndexElementDescription? {
    let number = try object.integer("NSFetchIndexElementType", in: 0...1)
    let property: NSPropertyDescription
    if let expression = try object.object("ParhelionExpression") {
      property = try readExpression(expression)
    } else {
      guard let name = try object.string("NSPropertyName"), let named = properties[name] else {
        return nil
      }
      property = named
    }
    let element = NSFetchIndexElementDescription(
      property: property, collationType: NSFetchIndexElementType(rawValue: UInt(number)) ?? .binary)
    element.isAscending = try object.flag("NSAscending")
    return element
  }
}
