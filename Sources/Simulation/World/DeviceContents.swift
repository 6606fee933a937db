import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage

/// Everything that a device has, as text: what devices that agree have alike.
struct DeviceContents: Sendable, Equatable {
  /// What stands for the key of an object that has none.
  static let noKey = "without a key"

  /// The texts of the properties of each object, by its key.
  private(set) var objects: [String: [String: String]] = [:]
  /// Keys that several objects have, which must not be.
  private(set) var repeatedKeys: [String] = []
  /// The entities of the objects, by key.
  private(set) var entities: [String: String] = [:]
  /// The identifiers of the objects, by key.
  private(set) var identifiers: [String: NSManagedObjectID] = [:]

  init(_ context: NSManagedObjectContext) throws {
    for entity in SimulatedModel.entities.filter(context.knows) {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity)
      request.includesSubentities = false
      // Not sorted: SQLite would copy large values along with the keys.
      for object in try context.fetch(request) {
        let key = object.key
        if objects.updateValue(object.texts, forKey: key) != nil { repeatedKeys.append(key) }
        identifiers[key] = object.objectID
        entities[key] = entity
      }
    }
    repeatedKeys.sort()
  }

  /// Equal is what says the same, wherever it lies.
  static func == (one: Self, other: Self) -> Bool {
    one.objects == other.objects && one.repeatedKeys == other.repeatedKeys
  }

  /// What a version of the model knows of it.
  func known(to version: SimulatedModel.Version) -> Self {
    var contents = self
    contents.objects = objects.filter { key, _ in
      !version.unknownEntities.contains { key.hasPrefix("\($0)-") }
    }
    .mapValues { $0.filter { !version.unknownProperties.contains($0.key) } }
    return contents
  }

  /// The rest of it without some objects: what leads to them leads nowhere.
  func without(_ keys: Set<String>) -> Self {
    var contents = self
    contents.objects = objects.filter { !keys.contains($0.key) }.mapValues { texts in
      var texts = texts
      for (name, text) in texts where Self.relationships.contains(name) {
        texts[name] = text.split(separator: ",").filter { !keys.contains(String($0)) }.joined(
          separator: ",")
      }
      return texts
    }
    contents.entities = entities.filter { !keys.contains($0.key) }
    contents.identifiers = identifiers.filter { !keys.contains($0.key) }
    return contents
  }

  /// All that some people have who may read different parts of it: of each object what its maker
  /// has.
  init(_ contents: [(owner: String, contents: Self)]) {
    for (owner, part) in contents {
      let keys = part.objects.keys.filter { contents.count == 1 || Ownership.has(owner, $0) }
      for key in keys {
        objects[key] = part.objects[key]
        (entities[key], identifiers[key]) = (part.entities[key], part.identifiers[key])
      }
    }
  }

  /// One line for each object, in order.
  var lines: [String] {
    objects.sorted { $0.key < $1.key }.map { key, texts in
      ([key] + texts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(
        separator: " ")
    }
  }

  /// Where two contents differ first; nil where they are equal.
  func difference(from other: Self) -> String? {
    guard self != other else { return nil }
    let (ours, theirs) = (lines, other.lines)
    let index = zip(ours, theirs).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let place = index ?? min(ours.count, theirs.count)
    let name = { (lines: [String]) in place < lines.count ? lines[place] : "nothing" }
    return "\(name(ours)) | \(name(theirs))"
  }
}

extension NSManagedObject {
  /// What people would know the object by.
  var key: String { value(forKey: "key") as? String ?? DeviceContents.noKey }

  /// What a relationship leads to, to one or to many.
  func members(of relationship: String) -> [NSManagedObject] {
    let value = value(forKey: relationship)
    let objects =
      (value as? NSSet)?.allObjects ?? (value as? NSOrderedSet)?.array ?? value.map { [$0] } ?? []
    return objects.compactMap { $0 as? NSManagedObject }
  }

  fileprivate var texts: [String: String] {
    var texts: [String: String] = [:]
    for name in entity.attributesByName.keys where name != "key" {
      texts[name] = ValueText.of(value(forKey: name))
    }
    for (name, relationship) in entity.relationshipsByName {
      let keys = members(of: name).map(\.key)
      texts[name] = (relationship.isOrdered ? keys : keys.sorted()).joined(separator: ",")
    }
    return texts
  }
}

/// How values are told.
enum ValueText {
  static func of(_ value: Any?) -> String {
    switch value {
    case nil: "-"
    case let data as Data: of(data)
    // Records hold whole milliseconds.
    case let date as Date: "\(Int64((date.timeIntervalSince1970 * 1_000).rounded()))"
    case let value?: "\(value)"
    }
  }

  static func of(_ data: Data) -> String { "\(data.count) bytes of \(data.first ?? 0)" }
}
