import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import SQLiteStore

/// Uses one of Apple's stores like an application: changes every property of one object of each
/// entity, and saves.
struct AppleStoreUse {
  let context: NSManagedObjectContext
  /// The values given to attributes, by the object's URI and the attribute's name.
  private(set) var given: [String: [String: NSObject]] = [:]
  /// The relationships that were changed.
  private(set) var related: [String: Set<String>] = [:]
  /// The number of changes that the model's rules refused.
  private(set) var refusedCount = 0
  private(set) var objects: [NSManagedObject] = []

  init(_ context: NSManagedObjectContext) { self.context = context }

  var changedCount: Int {
    given.values.map(\.count).reduce(0, +) + related.values.map(\.count).reduce(0, +)
  }

  /// Changes the first object that remains valid.
  mutating func change(_ entity: NSEntityDescription, _ candidates: [NSManagedObject]) throws {
    guard let object = candidates.prefix(10).first(where: { (try? $0.validateForUpdate()) != nil })
    else { return }
    objects.append(object)
    let properties = entity.properties.sorted { $0.name < $1.name }
    if try save(object, properties) { return }
    for property in properties where try !save(object, [property]) { refusedCount += 1 }
  }

  /// Changes properties and saves.
  ///
  /// If a rule refuses, it reverts the changes and returns false.
  private mutating func save(_ object: NSManagedObject, _ properties: [NSPropertyDescription])
    throws -> Bool
  {
    var values: [String: NSObject] = [:]
    var relationships: Set<String> = []
    for property in properties where !property.isTransient {
      switch property {
      case is NSDerivedAttributeDescription: continue
      case let attribute as NSAttributeDescription:
        guard let value = newValue(of: attribute, of: object) else { continue }
        object.setValue(value, forKey: attribute.name)
        values[attribute.name] = value
      case let relationship as NSRelationshipDescription:
        if try relate(object, relationship) { relationships.insert(relationship.name) }
      default: continue
      }
    }
    do {
      try context.save()
    } catch let error as CocoaError where (1550..<1700).contains(error.code.rawValue) {
      context.rollback()
      return false
    }
    let uri = object.objectID.uriRepresentation().absoluteString
    given[uri, default: [:]].merge(values) { $1 }
    related[uri, default: []].formUnion(relationships)
    return true
  }

  private func newValue(of attribute: NSAttributeDescription, of object: NSManagedObject)
    -> NSObject?
  {
    func number() -> Int {
      ((object.value(forKey: attribute.name) as? NSNumber)?.intValue ?? 0) % 100 + 1
    }
    switch attribute.attributeType {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      return NSNumber(value: number())
    case .doubleAttributeType, .floatAttributeType: return NSNumber(value: Double(number()) + 0.5)
    case .decimalAttributeType: return NSDecimalNumber(string: "\(number()).25")
    case .booleanAttributeType:
      return NSNumber(value: (object.value(forKey: attribute.name) as? NSNumber) != true)
    // The value is unique, since an attribute may have to be.
    case .stringAttributeType:
      return "changed \(object.entity.name ?? "").\(attribute.name) é 👋" as NSString
    case .dateAttributeType: return NSDate(timeIntervalSinceReferenceDate: 700_000_000.5)
    case .UUIDAttributeType: return NSUUID()
    case .URIAttributeType: return NSURL(string: "https://example.org/\(attribute.name)")
    case .binaryDataAttributeType:
      let count =
        attribute.allowsExternalBinaryDataStorage ? 2 * SQLiteStore.Limits.externalDataBytes : 300
      return NSData(data: Data(repeating: 7, count: count))
    case .transformableAttributeType where attribute.valueTransformerName == nil:
      return ["changed"] as NSArray
    default: return nil
    }
  }

  /// Changes a relationship's destination.
  ///
  /// Returns false if there is no other destination.
  private func relate(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) throws
    -> Bool
  {
    let request = NSFetchRequest<NSManagedObject>(
      entityName: relationship.destinationEntity?.name ?? "")
    request.fetchLimit = 5
    let others = try context.fetch(request).filter { $0 !== object }
    guard relationship.isToMany else {
      let present = object.value(forKey: relationship.name) as? NSManagedObject
      guard let other = others.first(where: { $0 !== present }) else { return false }
      object.setValue(other, forKey: relationship.name)
      return true
    }
    let value = object.value(forKey: relationship.name)
    var members =
      ((value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []) as? [NSManagedObject]
      ?? []
    guard
      let other = others.first(where: { other in !members.contains { $0 === other } })
        ?? members.last
    else {
      return false
    }
    if members.last === other { members.removeLast() } else { members.insert(other, at: 0) }
    object.setValue(
      relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members),
      forKey: relationship.name)
    return true
  }
}

extension NSManagedObject {
  /// The URIs of a relationship's destinations, in order if it has one.
  func destinations(_ name: String) -> [String] {
    let value = value(forKey: name)
    if let one = value as? NSManagedObject {
      return [one.objectID.uriRepresentation().absoluteString]
    }
    let members = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
    let uris = members.compactMap {
      ($0 as? NSManagedObject)?.objectID.uriRepresentation().absoluteString
    }
    return value is NSOrderedSet ? uris : uris.sorted()
  }
}
