public import Foundation
import ManagedObjectModel
import ObjectRows

/// The members of a to-many relationship, as a set that changes the relationship.
// Confined to the queue of its object's context.
final class RelationshipSet: NSMutableSet {
  private let object: NSManagedObject
  private let relationship: NSRelationshipDescription
  private let ordinal: Int

  init(_ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ ordinal: Int) {
    self.object = object
    self.relationship = relationship
    self.ordinal = ordinal
    super.init(capacity: 0)
  }

  required init(capacity numItems: Int) {
    preconditionFailure("The set of a relationship is made by mutableSetValue(forKey:).")
  }

  required convenience init?(coder: NSCoder) {
    preconditionFailure(
      "The set of a relationship cannot be archived. Archive the identifiers of its objects.")
  }

  private var members: ToManyMembers {
    object.prepareAccess()
    return object.members(ordinal)
  }

  private var objects: [NSManagedObject] { members.objects }

  override var count: Int { objects.count }

  override func member(_ object: Any) -> Any? {
    guard let candidate = object as? NSManagedObject, members.contains(candidate) else {
      return nil
    }
    return candidate
  }

  override func objectEnumerator() -> NSEnumerator { NSArray(array: objects).objectEnumerator() }

  override var allObjects: [Any] { objects }

  override func description(withLocale locale: Locale?) -> String {
    NSSet.of(objects).description(withLocale: locale)
  }

  override var description: String { description(withLocale: nil) }

  override func add(_ object: Any) {
    self.object.addMember(self.object.object(object, for: relationship), relationship, ordinal)
  }

  override func remove(_ object: Any) {
    guard let member = object as? NSManagedObject else { return }
    self.object.prepareAccess()
    self.object.removeMember(member, relationship, ordinal)
  }

  override func removeAllObjects() {
    if !objects.isEmpty { object.replaceMembers(of: relationship, ordinal, with: []) }
  }

  override func copy(with zone: NSZone? = nil) -> Any { NSSet.of(objects) }

  override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(array: objects) }
}

extension NSManagedObject {
  final func relationshipSet(_ key: String) -> NSMutableSet {
    let (relationship, ordinal) = toMany(key)
    return RelationshipSet(self, relationship, ordinal)
  }

  final func relationshipOrderedSet(_ key: String) -> NSMutableOrderedSet {
    let (relationship, ordinal) = toMany(key)
    precondition(
      relationship.isOrdered, "\(place(relationship)) is not ordered. Use mutableSetValue(forKey:)."
    )
    return RelationshipOrderedSet.of(self, relationship, ordinal)
  }

  /// Returns the members of the to-many relationship at the end of a key path.
  public final func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
    let (object, key) = owner(ofEndOf: keyPath)
    return object.mutableSetValue(forKey: key)
  }

  /// Returns the members of the ordered relationship at the end of a key path.
  public final func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
    let (object, key) = owner(ofEndOf: keyPath)
    return object.mutableOrderedSetValue(forKey: key)
  }

  private func owner(ofEndOf keyPath: String) -> (NSManagedObject, String) {
    guard let dot = keyPath.lastIndex(of: ".") else { return (self, keyPath) }
    guard let object = value(forKeyPath: String(keyPath[..<dot])) as? NSManagedObject else {
      preconditionFailure(
        "\(entity.name ?? "An entity without a name").\(keyPath) leads to no object.")
    }
    return (object, String(keyPath[keyPath.index(after: dot)...]))
  }

  /// The to-many relationship with a name.
  final func toMany(_ key: String) -> (NSRelationshipDescription, Int) {
    guard let ordinal = layout.ordinal(of: key),
      let relationship = layout.properties[ordinal] as? NSRelationshipDescription,
      relationship.isToMany
    else {
      preconditionFailure(
        "\(entity.name ?? "An entity without a name").\(key) is not a to-many relationship.")
    }
    return (relationship, ordinal)
  }
}
