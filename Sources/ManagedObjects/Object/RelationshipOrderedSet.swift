import Foundation
import ManagedObjectModel
import ObjectRows

/// The members of an ordered relationship, as an ordered set that changes the relationship.
///
/// Some of Foundation's methods cannot be overridden and read its own storage: iteration, `array`,
/// `firstObject`. So the storage is a copy of the relationship's members, which overridden methods
/// such as `count` update.
// Confined to the queue of its object's context.
final class RelationshipOrderedSet: NSMutableOrderedSet {
  private var owner: NSManagedObject?
  private var ordinal = 0
  private var relationship: NSRelationshipDescription?
  /// The members in Foundation's storage, and the count of their changes when they were copied.
  private var mirrored: ToManyMembers?
  private var mirroredChanges: UInt32 = 0
  private var isMirroring = false

  static func of(
    _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ ordinal: Int
  ) -> RelationshipOrderedSet {
    let set = RelationshipOrderedSet(capacity: 0)
    set.owner = object
    set.relationship = relationship
    set.ordinal = ordinal
    set.mirror()
    return set
  }

  override init(capacity numItems: Int) { super.init(capacity: numItems) }

  required convenience init(arrayLiteral elements: Any...) {
    preconditionFailure(
      "The ordered set of a relationship is made by mutableOrderedSetValue(forKey:).")
  }

  required convenience init?(coder: NSCoder) {
    preconditionFailure(
      "The set of a relationship cannot be archived. Archive the identifiers of its objects.")
  }

  // MARK: Relationship

  private var members: ToManyMembers? {
    owner?.prepareAccess()
    return owner?.members(ordinal)
  }

  private var objects: [NSManagedObject] { members?.objects ?? [] }

  private func change(_ body: (inout [NSManagedObject]) -> Void) {
    guard let owner, let relationship else { return }
    var changed = objects
    body(&changed)
    owner.replaceMembers(of: relationship, ordinal, with: changed)
    mirror()
  }

  /// Changes one member of the relationship, and makes the same change in Foundation's storage.
  private func changeOne(
    _ change: (NSManagedObject, NSRelationshipDescription) -> Void,
    mirroredBy mirrorChange: () -> Void
  ) {
    guard let owner, let relationship, let members else { return }
    let (wasMirrored, changesBefore) = (isMirrored(members), members.changeCount)
    change(owner, relationship)
    // The change of an inverse may have led to more changes.
    guard wasMirrored, members.changeCount == changesBefore &+ 1 else { return mirror() }
    isMirroring = true
    mirrorChange()
    isMirroring = false
    mirroredChanges = members.changeCount
  }

  private func accepted(_ object: Any) -> NSManagedObject {
    guard let owner, let relationship else {
      preconditionFailure(
        "The ordered set of a relationship is made by mutableOrderedSetValue(forKey:).")
    }
    return owner.object(object, for: relationship)
  }

  /// Updates Foundation's storage.
  private func mirror() {
    guard !isMirroring, let members, !isMirrored(members) else { return }
    isMirroring = true
    super.removeAllObjects()
    for object in members.objects { super.add(object) }
    (mirrored, mirroredChanges) = (members, members.changeCount)
    isMirroring = false
  }

  private func isMirrored(_ members: ToManyMembers) -> Bool {
    mirrored === members && mirroredChanges == members.changeCount
  }

  // MARK: Reading

  override var count: Int {
    if isMirroring { return super.count }
    mirror()
    return objects.count
  }

  override func object(at idx: Int) -> Any { objects[idx] }

  override func index(of object: Any) -> Int {
    guard let candidate = object as? NSManagedObject, let members, members.contains(candidate)
    else { return NSNotFound }
    return members.objects.firstIndex { $0 === candidate } ?? NSNotFound
  }

  override func contains(_ object: Any) -> Bool {
    if isMirroring { return super.contains(object) }
    guard let candidate = object as? NSManagedObject, let members else { return false }
    return members.contains(candidate)
  }

  override func enumerateObjects(_ block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void) {
    mirror()
    unsafe super.enumerateObjects(block)
  }

  override func index(
    of object: Any, inSortedRange range: NSRange, options opts: NSBinarySearchingOptions = [],
    usingComparator cmp: (Any, Any) -> ComparisonResult
  ) -> Int {
    mirror()
    return super.index(of: object, inSortedRange: range, options: opts, usingComparator: cmp)
  }

  override func sortedArray(
    options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult
  ) -> [Any] {
    mirror()
    return super.sortedArray(options: opts, usingComparator: cmptr)
  }

  override var description: String {
    mirror()
    return super.description
  }

  // MARK: Changing

  override func insert(_ object: Any, at idx: Int) {
    let object = accepted(object)
    guard !contains(object) else { return }
    changeOne {
      $0.insertMember(object, $1, ordinal, at: idx)
    } mirroredBy: {
      super.insert(object, at: idx)
    }
  }

  override func removeObject(at idx: Int) {
    changeOne {
      $0.removeMember(at: idx, $1, ordinal)
    } mirroredBy: {
      super.removeObject(at: idx)
    }
  }

  override func replaceObject(at idx: Int, with object: Any) {
    let object = accepted(object)
    change { $0[idx] = object }
  }

  override func add(_ object: Any) { insert(object, at: count) }

  override func addObjects(from array: [Any]) {
    let new = array.map(accepted)
    change { $0 += new }
  }

  override func remove(_ object: Any) {
    let index = index(of: object)
    if index != NSNotFound { removeObject(at: index) }
  }

  override func removeAllObjects() { change { $0 = [] } }

  override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
    change { $0.swapAt(idx1, idx2) }
  }

  override func moveObjects(at indexes: IndexSet, to idx: Int) {
    change { objects in
      let moved = indexes.map { objects[$0] }
      for index in indexes.reversed() { objects.remove(at: index) }
      objects.insert(contentsOf: moved, at: idx)
    }
  }

  override func intersect(_ other: NSOrderedSet) { change { $0.removeAll { !other.contains($0) } } }

  override func intersectSet(_ other: Set<AnyHashable>) {
    change { $0.removeAll { !other.contains($0) } }
  }

  override func sortRange(
    _ range: NSRange, options opts: NSSortOptions = [],
    usingComparator cmptr: (Any, Any) -> ComparisonResult
  ) {
    guard let range = Range(range) else { return }
    change { objects in
      let sorted = NSArray(array: Array(objects[range])).sortedArray(
        options: opts, usingComparator: cmptr)
      objects.replaceSubrange(range, with: sorted.map(accepted))
    }
  }

  override func sort(using sortDescriptors: [NSSortDescriptor]) {
    sort { one, other in
      for descriptor in sortDescriptors {
        let result = descriptor.compare(one, to: other)
        if result != .orderedSame { return result }
      }
      return .orderedSame
    }
  }

  override func copy(with zone: NSZone? = nil) -> Any { NSOrderedSet(array: objects) }

  override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableOrderedSet(array: objects) }
}
