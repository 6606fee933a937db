import Foundation
import PropertyLists
import SQLiteStore

/// The binary form of a store: a binary property list.
///
/// It differs from Apple's form, which is not public.
///
/// | key | value |
/// |---|---|
/// | `format` | `org.parhelion.binary-store` |
/// | `version` | 1 |
/// | `uuid`, `lastNumber`, `metadata` | those of the store |
/// | `objects` | an array of dictionaries |
///
/// | key of an object | value |
/// |---|---|
/// | `entity` | the name |
/// | `id` | an integer or a string |
/// | `attributes` | by name: an array of the type, and a string or data |
/// | `relationships` | by name: an array of the cardinality, the entity, and an array of IDs |
enum BinaryForm: DocumentForm {
  static let type = NSBinaryStoreType
  private static let format = "org.parhelion.binary-store"
  private static let version: Int128 = 1

  static func read(_ bytes: [UInt8]) throws(DocumentError) -> StoreDocument {
    guard BinaryPropertyList.hasHeader(bytes) else { throw foreign }
    let root: PropertyList
    do throws(PropertyListError) {
      root = try BinaryPropertyList.read(bytes, limits: limits)
    } catch {
      throw DocumentError("\(error)", "Restore the file from a backup.")
    }
    guard let entries = root.dictionary, entries["format"]?.string == format else { throw foreign }
    guard case .integer(version)? = entries["version"] else {
      throw DocumentError(
        "A newer version of Parhelion wrote the file.", "Open it with that version.")
    }
    return try BinaryDocument(entries).read()
  }

  static func write(_ document: StoreDocument) throws(DocumentError) -> Data {
    guard let metadata = PropertyList(anyValue: document.metadata) else {
      throw DocumentError(
        "The metadata contain a value that a property list cannot have.",
        "Use strings, numbers, dates, data, arrays and dictionaries only.")
    }
    let root: PropertyList = .dictionary([
      "format": .string(format), "version": .integer(version), "uuid": .string(document.uuid),
      "lastNumber": .integer(Int128(document.lastNumber)), "metadata": metadata,
      "objects": .array(document.objects.map(BinaryDocument.list)),
    ])
    do throws(PropertyListError) {
      return Data(try BinaryPropertyList.write(root, limits: limits))
    } catch {
      throw DocumentError("\(error)", "Use a SQLite store for so many objects.")
    }
  }

  private static let limits = {
    var limits = PropertyListLimits()
    limits.maximumBytes = Limits.bytesOfBinaryStore
    limits.maximumValues = Limits.valuesOfBinaryStore
    return limits
  }()

  private static var foreign: DocumentError {
    DocumentError(
      "It is not a binary store that Parhelion wrote. Those of Apple's Core Data cannot be "
        + "read, because their form is not public.",
      "Copy it into a SQLite or XML store on a Mac, with migratePersistentStore.")
  }
}

/// The entries of a binary store's property list.
struct BinaryDocument {
  private let entries: [String: PropertyList]

  init(_ entries: [String: PropertyList]) { self.entries = entries }

  func read() throws(DocumentError) -> StoreDocument {
    guard let uuid = entries["uuid"]?.string, case .integer(let last)? = entries["lastNumber"],
      let metadata = entries["metadata"]?.anyValue as? [String: Any],
      let objects = entries["objects"]?.array
    else { throw Self.damaged }
    var document = StoreDocument(
      uuid: uuid, lastNumber: Int64(clamping: last), metadata: metadata)
    for object in objects { document.objects.append(try Self.object(object)) }
    return document
  }

  private static var damaged: DocumentError {
    DocumentError("A part of it is missing or has another type.", "Restore it from a backup.")
  }

  // MARK: Objects

  private static func object(_ list: PropertyList) throws(DocumentError) -> DocumentObject {
    guard let entries = list.dictionary, let entity = entries["entity"]?.string,
      let name = entries["id"].flatMap(name), let attributes = entries["attributes"]?.dictionary,
      let relationships = entries["relationships"]?.dictionary
    else { throw damaged }
    var object = DocumentObject(entity: entity, name: name)
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
      object.attributes.append((name, try self.value(value)))
    }
    for (name, value) in relationships.sorted(by: { $0.key < $1.key }) {
      object.relationships.append(try relationship(name, value))
    }
    return object
  }

  private static func value(_ list: PropertyList) throws(DocumentError) -> DocumentValue {
    guard let parts = list.array, parts.count == 2, let type = parts[0].string else {
      throw damaged
    }
    switch parts[1] {
    case .string(let text): return DocumentValue(type: type, content: .text(text))
    case .data(let bytes): return DocumentValue(type: type, content: .data(Data(bytes)))
    default: throw damaged
    }
  }

  private static func relationship(_ name: String, _ list: PropertyList) throws(DocumentError)
    -> DocumentRelationship
  {
    guard let parts = list.array, parts.count == 3, let cardinality = parts[0].string,
      let destination = parts[1].string, let members = parts[2].array
    else { throw damaged }
    let names = members.compactMap(self.name)
    guard names.count == members.count else { throw damaged }
    return DocumentRelationship(
      name: name, cardinality: cardinality, destination: destination, members: names)
  }

  private static func name(_ list: PropertyList) -> DocumentName? {
    switch list {
    case .integer(let number): Int64(exactly: number).map { .number($0) }
    case .string(let text): .text(text)
    default: nil
    }
  }

  // MARK: Lists

  static func list(_ object: DocumentObject) -> PropertyList {
    let attributes = object.attributes.map { ($0.name, list($0.value)) }
    let relationships = object.relationships.map { relationship in
      let members = PropertyList.array(relationship.members.map(list))
      return (
        relationship.name,
        PropertyList.array([
          .string(relationship.cardinality), .string(relationship.destination), members,
        ])
      )
    }
    return .dictionary([
      "entity": .string(object.entity), "id": list(object.name),
      "attributes": .dictionary(Dictionary(attributes, uniquingKeysWith: { $1 })),
      "relationships": .dictionary(Dictionary(relationships, uniquingKeysWith: { $1 })),
    ])
  }

  private static func list(_ value: DocumentValue) -> PropertyList {
    switch value.content {
    case .text(let text): .array([.string(value.type), .string(text)])
    case .data(let data): .array([.string(value.type), .data([UInt8](data))])
    }
  }

  private static func list(_ name: DocumentName) -> PropertyList {
    switch name {
    case .number(let number): .integer(Int128(number))
    case .text(let text): .string(text)
    }
  }
}
