public import Foundation
import ManagedObjectModel
import ObjectRows

/// The members of a to-many relationship as a set that changes the relationship.
// It lives where its object lives: on the queue of a context.
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
    preconditionFailure("The set of a relationship cannot be archived. Archive the identifiers of its objects.")
  }

  private var objects: [NSManagedObject] {
    object.prepareAccess()
    return object.members(ordinal).objects
  }

  override var count: Int { objects.count }

  override func member(_ object: Any) -> Any? {
    guard let candidate = object as? NSManagedObject else { return nil }
    return objects.first { $0 === candidate }
  }

  override func objectEnumerator() -> NSEnumerator { NSArray(array: objects).objectEnumerator() }

  override var allObjects: [Any] { objects }

  override func add(_ object: Any) {
    self.object.addMember(self.object.object(object, for: relationship), relationship, ordinal)
  }

  override func remove(_ object: Any) {
    guard let member = object as? NSManagedObject else { return }
    self.object.prepareAccess()
    self.object.removeMember(member, relationship, ordinal)
  }

  override func removeAllObjects() {
    for member in objects { remove(member) }
  }

  override func copy(with zone: NSZone? = nil) -> Any { NSSet(array: objects) }

  override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(array: objects) }
}

/// The members of an ordered relationship as an ordered set that changes the relationship.
// It lives where its object lives: on the queue of a context.
final class RelationshipOrderedSet: NSMutableOrderedSet {
  private var owner: NSManagedObject?
  private var ordinal = 0
  private var relationship: NSRelationshipDescription?

  static func of(
    _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ ordinal: Int
  ) -> RelationshipOrderedSet {
    let set = RelationshipOrderedSet(capacity: 0)
    set.owner = object
    set.relationship = relationship
    set.ordinal = ordinal
    return set
  }

  override init(capacity numItems: Int) { super.init(capacity: numItems) }

  required convenience init(arrayLiteral elements: Any...) {
    preconditionFailure("The ordered set of a relationship is made by mutableOrderedSetValue(forKey:).")
  }

  required convenience init?(coder: NSCoder) {
    preconditionFailure("The set of a relationship cannot be archived. Archive the identifiers of its objects.")
  }

  private var objects: [NSManagedObject] {
    get {
      owner?.prepareAccess()
      return owner?.members(ordinal).objects ?? []
    }
    set {
      guard let owner, let relationship else { return }
      owner.beginChange(of: ordinal)
      owner.relate(relationship, ordinal, to: newValue)
    }
  }

  private func accepted(_ object: Any) -> NSManagedObject {
    guard let owner, let relationship else {
      preconditionFailure("The ordered set of a relationship is made by mutableOrderedSetValue(forKey:).")
    }
    return owner.object(object, for: relationship)
  }

  override var count: Int { objects.count }
  override func object(at idx: Int) -> Any { objects[idx] }

  override func index(of object: Any) -> Int {
    guard let candidate = object as? NSManagedObject else { return NSNotFound }
    return objects.firstIndex { $0 === candidate } ?? NSNotFound
  }

  override func contains(_ object: Any) -> Bool { index(of: object) != NSNotFound }

  override func insert(_ object: Any, at idx: Int) {
    let object = accepted(object)
    var objects = objects
    guard !objects.contains(where: { $0 === object }) else { return }
    objects.insert(object, at: idx)
    self.objects = objects
  }

  override func removeObject(at idx: Int) {
    var objects = objects
    objects.remove(at: idx)
    self.objects = objects
  }

  override func replaceObject(at idx: Int, with object: Any) {
    let object = accepted(object)
    var objects = objects
    objects[idx] = object
    self.objects = objects
  }

  override func add(_ object: Any) { insert(object, at: count) }

  override func remove(_ object: Any) {
    let index = index(of: object)
    if index != NSNotFound { removeObject(at: index) }
  }

  override func removeAllObjects() { objects = [] }

  override func copy(with zone: NSZone? = nil) -> Any { NSOrderedSet(array: objects) }

  override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableOrderedSet(array: objects) }
}

extension NSManagedObject {
  final func relationshipSet(_ key: String) -> NSMutableSet {
    let (relationship, ordinal) = toMany(key)
    return RelationshipSet(self, relationship, ordinal)
  }

  final func relationshipOrderedSet(_ key: String) -> NSMutableOrderedSet {
    let (relationship, ordinal) = toMany(key)
    precondition(relationship.isOrdered, "\(place(relationship)) is not ordered. Use mutableSetValue(forKey:).")
    return RelationshipOrderedSet.of(self, relationship, ordinal)
  }

  /// The members of the to-many relationship at the end of a path.
  public final func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
    let (object, key) = owner(ofEndOf: keyPath)
    return object.mutableSetValue(forKey: key)
  }

  /// The members of the ordered relationship at the end of a path.
  public final func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
    let (object, key) = owner(ofEndOf: keyPath)
    return object.mutableOrderedSetValue(forKey: key)
  }

  private func owner(ofEndOf keyPath: String) -> (NSManagedObject, String) {
    guard let dot = keyPath.lastIndex(of: ".") else { return (self, keyPath) }
    guard let object = value(forKeyPath: String(keyPath[..<dot])) as? NSManagedObject else {
      preconditionFailure("\(entity.name ?? "An entity without a name").\(keyPath) leads to no object.")
    }
    return (object, String(keyPath[keyPath.index(after: dot)...]))
  }

  /// A to-many relationship by name.
  final func toMany(_ key: String) -> (NSRelationshipDescription, Int) {
    guard let ordinal = layout.ordinal(of: key),
      let relationship = layout.properties[ordinal] as? NSRelationshipDescription, relationship.isToMany
    else { preconditionFailure("\(entity.name ?? "An entity without a name").\(key) is not a to-many relationship.") }
    return (relationship, ordinal)
  }
}
