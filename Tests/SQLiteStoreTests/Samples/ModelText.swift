import Foundation
import ManagedObjectModel
import PredicateLanguage
import Testing

/// Builds a model from a short text.
///
/// The text has a line for each entity and an indented line for each property:
///
/// ```
/// Book : Item unique=isbn index=title,year
///   title String required was=name
///   year Integer16 default=2000
///   pages ->> Page book ordered
///   author -> Author books
///   shout String derived=uppercase:(title)
/// ```
///
/// A relationship names its destination and its inverse. Entities accept `abstract`, `unique=`,
/// `index=`, `rtree=`, `was=` and `modifier=`. Properties accept `required`, `transient`,
/// `indexed`, `preserved`, `external`, `ordered`, `default=`, `was=`, `modifier=`, `derived=`,
/// `elements=name/Type,…`.
func model(_ text: String, configurations: [String: [String]] = [:]) throws -> NSManagedObjectModel
{
  var reader = ModelText()
  for line in text.split(separator: "\n") { try reader.read(String(line)) }
  return try reader.finish(configurations)
}

private struct ModelText {
  private var entities: [NSEntityDescription] = []
  private var parents: [(NSEntityDescription, String)] = []
  private var ends: [(NSRelationshipDescription, destination: String, inverse: String?)] = []
  private var indexes: [(NSEntityDescription, [String], NSFetchIndexElementType)] = []

  mutating func read(_ line: String) throws {
    var words = line.split(separator: " ").map(String.init)
    guard !words.isEmpty else { return }
    let name = words.removeFirst()
    if line.first == " " {
      let entity = try #require(entities.last)
      try entity.properties.append(property(name, words))
    } else {
      try entities.append(entity(name, words))
    }
  }

  private mutating func entity(_ name: String, _ words: [String]) throws -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    var words = words[...]
    while let word = words.popFirst() {
      let value = value(of: word)
      switch word.prefix(while: { $0 != "=" }) {
      case ":":
        let parent = try #require(words.first)
        words.removeFirst()
        parents.append((entity, parent))
      case "abstract": entity.isAbstract = true
      case "unique":
        entity.uniquenessConstraints.append(value.split(separator: ",").map(String.init))
      case "index": indexes.append((entity, value.split(separator: ",").map(String.init), .binary))
      case "rtree": indexes.append((entity, value.split(separator: ",").map(String.init), .rTree))
      case "was": entity.renamingIdentifier = value
      case "modifier": entity.versionHashModifier = value
      default: Issue.record("unknown word \(word) of entity \(name)")
      }
    }
    return entity
  }

  private mutating func property(_ name: String, _ words: [String]) throws -> NSPropertyDescription
  {
    let property: NSPropertyDescription
    var rest = words.dropFirst()
    switch words.first {
    case "->", "->>":
      let relationship = NSRelationshipDescription()
      relationship.maxCount = words[0] == "->" ? 1 : 0
      let destination = try #require(rest.first)
      rest.removeFirst()
      let inverse = rest.first.flatMap {
        known.contains(String($0.prefix { $0 != "=" })) ? nil : $0
      }
      if inverse != nil { rest.removeFirst() }
      ends.append((relationship, destination, inverse))
      property = relationship
    default:
      property = try attribute(type: #require(words.first), rest)
    }
    property.name = name
    for word in rest { apply(word, to: property) }
    return property
  }

  private let known: Set<String> = [
    "required", "transient", "indexed", "preserved", "external", "ordered", "default", "was",
    "modifier", "derived",
    "elements",
  ]

  private func attribute(type: String, _ words: ArraySlice<String>) throws -> NSAttributeDescription
  {
    let attribute: NSAttributeDescription =
      words.contains { $0.hasPrefix("derived=") }
      ? NSDerivedAttributeDescription()
      : type == "Composite" ? NSCompositeAttributeDescription() : NSAttributeDescription()
    attribute.attributeType = try #require(Self.types[type], "unknown type \(type)")
    return attribute
  }

  private static let types: [String: NSAttributeType] = [
    "Integer16": .integer16AttributeType, "Integer32": .integer32AttributeType,
    "Integer64": .integer64AttributeType,
    "Decimal": .decimalAttributeType, "Double": .doubleAttributeType, "Float": .floatAttributeType,
    "String": .stringAttributeType, "Boolean": .booleanAttributeType, "Date": .dateAttributeType,
    "Binary": .binaryDataAttributeType, "UUID": .UUIDAttributeType, "URI": .URIAttributeType,
    "Transformable": .transformableAttributeType, "Undefined": .undefinedAttributeType,
    "Composite": .compositeAttributeType,
  ]

  private func apply(_ word: String, to property: NSPropertyDescription) {
    let value = value(of: word)
    let attribute = property as? NSAttributeDescription
    switch word.prefix(while: { $0 != "=" }) {
    case "required": property.isOptional = false
    case "transient": property.isTransient = true
    case "indexed": property.storedIsIndexed = true
    case "preserved": attribute?.preservesValueInHistoryOnDeletion = true
    case "external": attribute?.allowsExternalBinaryDataStorage = true
    case "ordered": (property as? NSRelationshipDescription)?.isOrdered = true
    case "was": property.renamingIdentifier = value
    case "modifier": property.versionHashModifier = value
    case "default":
      attribute?.defaultValue =
        attribute?.attributeType == .stringAttributeType
        ? value : Double(value).map { NSNumber(value: $0) }
    case "derived":
      (attribute as? NSDerivedAttributeDescription)?.derivationExpression =
        PredicateLanguage.NSExpression(format: value)
    case "elements":
      (attribute as? NSCompositeAttributeDescription)?.elements = value.split(separator: ",")
        .compactMap { element in
          let parts = element.split(separator: "/").map(String.init)
          let made = NSAttributeDescription()
          made.name = parts[0]
          made.attributeType = Self.types[parts[1]] ?? .undefinedAttributeType
          return made
        }
    default: Issue.record("unknown word \(word) of property \(property.name)")
    }
  }

  private func value(of word: String) -> String {
    word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) } ?? ""
  }

  func finish(_ configurations: [String: [String]]) throws -> NSManagedObjectModel {
    let byName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name ?? "", $0) })
    for (entity, parent) in parents { try #require(byName[parent]).subentities.append(entity) }
    for (relationship, destination, inverse) in ends {
      let destination = try #require(byName[destination], "no entity \(destination)")
      relationship.destinationEntity = destination
      if let inverse {
        guard let found = destination.relationshipsByName[inverse] else {
          Issue.record("no relationship \(inverse)")
          continue
        }
        relationship.inverseRelationship = found
      }
    }
    for (entity, names, type) in indexes {
      let elements = try names.map {
        NSFetchIndexElementDescription(
          property: try #require(entity.propertiesByName[$0]), collationType: type)
      }
      entity.indexes.append(
        NSFetchIndexDescription(name: "by\(names.joined().capitalized)", elements: elements))
    }
    let model = NSManagedObjectModel()
    model.entities = entities
    for (name, members) in configurations.sorted(by: { $0.key < $1.key }) {
      model.setEntities(try members.map { try #require(byName[$0]) }, forConfigurationName: name)
    }
    return model
  }
}
