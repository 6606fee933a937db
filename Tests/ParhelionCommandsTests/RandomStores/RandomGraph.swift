import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import TestSupport

/// Changes the objects of a context at random, and records their values.
struct RandomGraph {
  private(set) var random: SeededGenerator
  let context: NSManagedObjectContext
  var objects: [NSManagedObject] = []

  init(_ random: SeededGenerator, _ context: NSManagedObjectContext) {
    self.random = random
    self.context = context
  }

  mutating func insert(_ count: Int) {
    let entities = (context.persistentStoreCoordinator?.managedObjectModel.entities ?? []).sorted {
      ($0.name ?? "") < ($1.name ?? "")
    }
    for _ in 0..<count {
      let entity = entities[number(0...(entities.count - 1))]
      objects.append(
        NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: context))
    }
  }

  mutating func change(_ count: Int) {
    for _ in 0..<count where !objects.isEmpty {
      let object = objects[number(0...(objects.count - 1))]
      for property in object.entity.propertiesByName.values.sorted(by: { $0.name < $1.name })
      where chance(2) {
        switch property {
        case is NSDerivedAttributeDescription: break
        case let attribute as NSAttributeDescription:
          object.setValue(chance(5) ? nil : value(of: attribute), forKey: attribute.name)
        case let relationship as NSRelationshipDescription: relate(object, relationship)
        default: break
        }
      }
    }
  }

  mutating func delete(_ count: Int) {
    for _ in 0..<count where objects.count > 1 {
      context.delete(objects.remove(at: number(0...(objects.count - 1))))
    }
  }

  // MARK: Values

  private mutating func value(of attribute: NSAttributeDescription) -> Any? {
    switch attribute.attributeType {
    case .integer16AttributeType: Int(Int16.random(in: .min ... .max, using: &random))
    case .integer32AttributeType: Int(Int32.random(in: .min ... .max, using: &random))
    case .integer64AttributeType: Int.random(in: .min ... .max, using: &random)
    case .booleanAttributeType: chance(2)
    case .doubleAttributeType: Double.random(in: -1e9...1e9, using: &random)
    case .floatAttributeType: Float.random(in: -1e3...1e3, using: &random)
    case .decimalAttributeType: NSDecimalNumber(string: "\(number(-999...999)).\(number(1...9))")
    case .dateAttributeType:
      Date(timeIntervalSinceReferenceDate: Double(number(-1_000_000...1_000_000)) / 8)
    case .stringAttributeType: text()
    case .URIAttributeType:
      URL(string: "https://example.org/\(number(0...99))?q=\(number(0...9))#x")
    case .UUIDAttributeType:
      UUID(uuidString: "00000000-0000-4000-8000-\(String(format: "%012d", number(0...999_999)))")
    case .binaryDataAttributeType:
      Data(
        (0..<(chance(12) ? 150_000 : number(0...40))).map { _ in
          UInt8(truncatingIfNeeded: number(0...255))
        })
    case .transformableAttributeType: [text(), text()]
    case .compositeAttributeType:
      chance(2)
        ? ["width": Double(number(0...9)) / 2, "label": text()] as [String: Any] : ["label": text()]
    default: nil
    }
  }

  private mutating func text() -> String {
    let parts = [
      "", "a", "Ä", "e\u{301}", "日本", "😀", "'", "\"", "\\", "\n", "%_", "\u{1}", "?", "NULL",
    ]
    return (0..<number(0...4)).map { _ in parts[number(0...(parts.count - 1))] }.joined()
  }

  private mutating func relate(_ object: NSManagedObject, _ relationship: NSRelationshipDescription)
  {
    let fitting = objects.filter { candidate in
      relationship.destinationEntity.map { candidate.entity.isKindOf(entity: $0) } ?? false
    }
    guard !fitting.isEmpty else { return }
    let chosen = (0..<number(0...4)).map { _ in fitting[number(0...(fitting.count - 1))] }
    switch (relationship.isToMany, relationship.isOrdered) {
    case (false, _): object.setValue(chosen.first, forKey: relationship.name)
    case (true, false): object.setValue(NSSet(array: chosen), forKey: relationship.name)
    case (true, true): object.setValue(NSOrderedSet(array: chosen), forKey: relationship.name)
    }
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }
  private mutating func chance(_ times: Int) -> Bool { number(1...times) == 1 }
}

/// The values of objects, by the object's name and the property.
///
/// A nil value is an empty list. A related object is represented by its name.
typealias Snapshot = [String: [String: [String]]]

extension NSManagedObjectContext {
  /// The values of all objects.
  func everything() throws -> Snapshot {
    var snapshot: Snapshot = [:]
    for entity in persistentStoreCoordinator?.managedObjectModel.entities ?? [] {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
      request.includesSubentities = false
      for object in try fetch(request) {
        snapshot[object.name] = entity.propertiesByName.mapValues { object.texts(of: $0) }
      }
    }
    return snapshot
  }
}

extension NSManagedObject {
  fileprivate var name: String {
    "\(entity.name ?? "")/\(objectID.uriRepresentation().lastPathComponent)"
  }

  fileprivate func texts(of property: NSPropertyDescription) -> [String] {
    switch value(forKey: property.name) {
    case nil: []
    case let object as NSManagedObject: [object.name]
    case let set as NSOrderedSet: set.array.compactMap { ($0 as? NSManagedObject)?.name }
    case let set as NSSet: set.allObjects.compactMap { ($0 as? NSManagedObject)?.name }.sorted()
    // The hash value of data covers only its first bytes.
    case let data as Data:
      ["\(data.count):\(data.reduce(UInt64(0)) { $0 &* 31 &+ UInt64($1) })"]
    case let date as Date: ["\(date.timeIntervalSinceReferenceDate)"]
    case let elements as [String: Any]:
      ["\(elements.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" })"]
    case let number as NSDecimalNumber: [number.stringValue]
    case let value?: ["\(value)"]
    }
  }
}
