import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage

/// The content of a device as text, which must be equal on devices that agree.
struct DeviceContents: Sendable, Equatable {
  /// The replacement for a missing key.
  static let noKey = "without a key"

  /// The properties of each object as text, by its key.
  private(set) var objects: [String: [String: String]] = [:]
  /// Keys that several objects have, which is a violation.
  private(set) var repeatedKeys: [String] = []
  /// The entities of the objects, by key.
  private(set) var entities: [String: String] = [:]
  /// The identifiers of the objects, by key.
  private(set) var identifiers: [String: NSManagedObjectID] = [:]
  /// The keys of the objects in the device's second store.
  private(set) var othersKeys: Set<String> = []

  init(_ context: NSManagedObjectContext) throws {
    let own = context.persistentStoreCoordinator?.persistentStores.first
    for entity in SimulatedModel.entities.filter(context.knows) {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity)
      request.includesSubentities = false
      // Not sorted: SQLite would copy large values together with the keys.
      for object in try context.fetch(request) {
        let key = object.key
        if objects.updateValue(object.texts, forKey: key) != nil { repeatedKeys.append(key) }
        identifiers[key] = object.objectID
        if let own, object.objectID.persistentStore !== own { othersKeys.insert(key) }
        entities[key] = entity
      }
    }
    repeatedKeys.sort()
  }

  /// Compares the text only, not object identifiers.
  static func == (one: Self, other: Self) -> Bool {
    one.objects == other.objects && one.repeatedKeys == other.repeatedKeys
  }

  /// The part that a model version knows.
  func known(to version: SimulatedModel.Version) -> Self {
    var contents = self
    contents.objects = objects.filter { key, _ in
      !version.unknownEntities.contains { key.hasPrefix("\($0)-") }
    }
    .mapValues { $0.filter { !version.unknownProperties.contains($0.key) } }
    return contents
  }

  /// The content without some objects, and without references to them.
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

  /// Combines the contents of users who may read different parts.
  ///
  /// - Parameter isOwn: Whether an object is taken from a user's content; by default, if the user
  ///   created it.
  init(
    _ contents: [(owner: String, contents: Self)],
    isOwn: (_ owner: String, _ key: String) -> Bool = Ownership.has
  ) {
    for (owner, part) in contents {
      for key in part.objects.keys where contents.count == 1 || isOwn(owner, key) {
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

  /// The first difference from another content; nil if they are equal.
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
  /// The object's stable key, as users would recognize it.
  var key: String { value(forKey: "key") as? String ?? DeviceContents.noKey }

  /// The destinations of a relationship, to-one or to-many.
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

/// The text of a value.
enum ValueText {
  static func of(_ value: Any?) -> String {
    switch value {
    case nil: "-"
    case let data as Data: of(data)
    // Records store whole milliseconds.
    case let date as Date: "\(Int64((date.timeIntervalSince1970 * 1_000).rounded()))"
    case let value?: "\(value)"
    }
  }

  static func of(_ data: Data) -> String { "\(data.count) bytes of \(data.first ?? 0)" }
}
