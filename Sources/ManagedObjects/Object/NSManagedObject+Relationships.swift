import Foundation
import ManagedObjectModel
import ObjectRows

/// Relationships.
extension NSManagedObject {
  /// The destination of a to-one relationship.
  final func destination(_ ordinal: Int) -> NSManagedObject? {
    if let known = state?.destinations[ordinal] { return known }
    let slot = layout.slot(ordinal)
    guard slot.kind == .toOne, !slot.isNull(in: row), let context else { return nil }
    let object = context.destination(slot.load(from: row, as: ToOneValue.self), of: self)
    // Kept, so that repeated steps along a key path do not load the same object again.
    object.flags.insert(.related)
    ownState().destinations[ordinal] = object
    return object
  }

  /// The members of a to-many relationship, loaded if necessary.
  ///
  /// If an incremental store fails, they stay empty and unloaded.
  final func members(_ ordinal: Int) -> ToManyMembers {
    let members = knownMembers(ordinal)
    guard !members.isLoaded || members.primitiveSet != nil else { return members }
    if !members.isLoaded, let stored = storedMembers(ordinal) { members.load(stored) }
    if let set = members.primitiveSet { adoptChanges(of: set, in: members, ordinal) }
    return members
  }

  /// The members in the store, or nil if an incremental store fails.
  private func storedMembers(_ ordinal: Int) -> [NSManagedObject]? {
    guard let context else { return [] }
    return context.loadMembers(ofRelationship: ordinal, of: self)
  }

  /// The loaded members of a to-many relationship, for a change that needs all of them.
  ///
  /// The program stops if the store fails to read them.
  final func membersToReplace(_ ordinal: Int) -> ToManyMembers {
    let members = members(ordinal)
    precondition(
      members.isLoaded,
      """
      \(place(layout.properties[ordinal])) cannot be replaced, because its store fails to read its \
      members. Add and remove single objects instead.
      """
    )
    return members
  }

  /// The members of a to-many relationship, without loading them from the store.
  ///
  /// For an object that was never saved, they are complete, unless a parent context may have more.
  final func knownMembers(_ ordinal: Int) -> ToManyMembers {
    let state = ownState()
    if let members = state.members[ordinal] { return members }
    let members =
      key < 0 && !(context?.keepsMembersOfUnsavedObjects ?? false)
      ? ToManyMembers(loaded: []) : ToManyMembers()
    state.members[ordinal] = members
    return members
  }

  /// Sets the slot of a to-one relationship and the object's loaded destination.
  final func setDestination(_ object: NSManagedObject?, _ ordinal: Int, _ state: ObjectState) {
    state.destinations[ordinal] = object
    let slot = layout.slots[ordinal]
    guard let object else { return layout.setNil(slot, in: row) }
    object.flags.insert(.related)
    slot.store(ToOneValue(key: object.key, layoutIndex: Int32(object.layout.index)), in: row)
  }

  // MARK: Inverses

  /// Sets a to-one relationship and updates the inverse.
  final func relate(
    _ relationship: NSRelationshipDescription, _ ordinal: Int, to object: NSManagedObject?
  ) {
    let former = destination(ordinal)
    setDestination(object, ordinal, makeRowWritable())
    guard former !== object else { return }
    former?.removeFromInverse(self, relationship)
    object?.addToInverse(self, relationship)
  }

  /// Sets a to-many relationship and updates the inverses.
  final func relate(
    _ relationship: NSRelationshipDescription, _ ordinal: Int, to objects: [NSManagedObject]
  ) {
    let members = membersToReplace(ordinal)
    let former = members.objects
    let objects = unique(objects)
    members.replace(with: objects)
    let kept = Set(objects.map(ObjectIdentifier.init))
    let known = Set(former.map(ObjectIdentifier.init))
    for object in former where !kept.contains(ObjectIdentifier(object)) {
      object.removeFromInverse(self, relationship)
    }
    for object in objects where !known.contains(ObjectIdentifier(object)) {
      object.addToInverse(self, relationship)
    }
  }

  /// Replaces the members of a to-many relationship as a change of the property.
  final func replaceMembers(
    of relationship: NSRelationshipDescription, _ ordinal: Int, with objects: [NSManagedObject]
  ) {
    beginChange(of: ordinal)
    relate(relationship, ordinal, to: objects)
    notifyDidSet(ordinal)
  }

  /// Inserts an object that is no member into an ordered relationship and updates the inverse.
  final func insertMember(
    _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ ordinal: Int,
    at index: Int
  ) {
    beginChange(of: ordinal)
    if membersToReplace(ordinal).insert(object, at: index) {
      object.addToInverse(self, relationship)
    }
    notifyDidSet(ordinal)
  }

  /// Removes the object at an index of an ordered relationship and updates the inverse.
  final func removeMember(
    at index: Int, _ relationship: NSRelationshipDescription, _ ordinal: Int
  ) {
    beginChange(of: ordinal)
    membersToReplace(ordinal).remove(at: index).removeFromInverse(self, relationship)
    notifyDidSet(ordinal)
  }

  /// Adds an object to a to-many relationship and updates the inverse.
  final func addMember(
    _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ ordinal: Int
  ) {
    if flags.contains(.checked) { prepareAccess() }
    beginChange(of: ordinal)
    if membersForAdding(object, relationship, ordinal)?.add(object) == true {
      object.addToInverse(self, relationship)
    }
    notifyDidSet(ordinal)
  }

  /// The members to add an object to, or nil if they already contain it.
  ///
  /// Only an object that is no member yet may be added to members that are not loaded. If the
  /// inverse is to-one, the object's destination shows this. Otherwise, the members are loaded.
  private func membersForAdding(
    _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ ordinal: Int
  ) -> ToManyMembers? {
    let inverse = object.inverse(of: relationship)?.0
    guard !relationship.isOrdered, inverse?.isToMany == false else { return members(ordinal) }
    return object.leads(to: self, overInverseOf: relationship) ? nil : knownMembers(ordinal)
  }

  /// Removes an object from a to-many relationship and updates the inverse.
  final func removeMember(
    _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ ordinal: Int
  ) {
    if flags.contains(.checked) { prepareAccess() }
    beginChange(of: ordinal)
    let members = members(ordinal)
    if members.remove(object) { object.removeFromInverse(self, relationship) }
    notifyDidSet(ordinal)
  }

  /// Removes this object from the other object's inverse relationship.
  final func removeFromInverse(
    _ object: NSManagedObject, _ relationship: NSRelationshipDescription
  ) {
    guard let (inverse, ordinal) = inverse(of: relationship) else { return }
    let state = beginChange(of: ordinal)
    defer { notifyDidSet(ordinal) }
    if !inverse.isToMany {
      if destination(ordinal) === object { setDestination(nil, ordinal, state) }
      return
    }
    _ = (inverse.isOrdered ? members(ordinal) : knownMembers(ordinal)).remove(object)
  }

  /// Adds this object to the other object's inverse relationship, or replaces a to-one destination.
  private func addToInverse(
    _ object: NSManagedObject, _ relationship: NSRelationshipDescription
  ) {
    guard let (inverse, ordinal) = inverse(of: relationship) else { return }
    let state = beginChange(of: ordinal)
    defer { notifyDidSet(ordinal) }
    if inverse.isToMany {
      _ = (inverse.isOrdered ? members(ordinal) : knownMembers(ordinal)).add(object)
      return
    }
    let former = destination(ordinal)
    setDestination(object, ordinal, state)
    if former !== object { former?.removeFromInverse(self, inverse) }
  }

  private func inverse(of relationship: NSRelationshipDescription) -> (
    NSRelationshipDescription, Int
  )? {
    guard let inverse = relationship.inverseRelationship,
      let ordinal = layout.ordinal(of: inverse.name)
    else {
      return nil
    }
    return (inverse, ordinal)
  }

  // MARK: Changes by primitive values

  /// Records a relationship's destinations before its primitive value is set.
  ///
  /// If one accessor calls another, the destinations recorded first stay, because the inverses
  /// still match them.
  final func recordDestinations(_ relationship: NSRelationshipDescription, _ ordinal: Int) {
    prepareAccess()
    guard state?.formerDestinations[ordinal] == nil else { return }
    let former =
      relationship.isToMany ? members(ordinal).objects : destination(ordinal).map { [$0] } ?? []
    ownState().formerDestinations[ordinal] = former
  }

  /// Forgets the former destinations of a relationship whose inverses were updated.
  ///
  /// Comparing them would load the members of a to-many inverse.
  final func forgetDestinations(_ ordinal: Int) {
    guard let state, !state.formerDestinations.isEmpty else { return }
    state.formerDestinations[ordinal] = nil
    releasePrimitiveSet(ordinal)
  }

  /// Updates the inverses after a relationship's primitive value was set.
  final func followRelationship(_ relationship: NSRelationshipDescription, _ ordinal: Int) {
    guard let former = state?.formerDestinations.removeValue(forKey: ordinal) else { return }
    let current =
      relationship.isToMany ? members(ordinal).objects : destination(ordinal).map { [$0] } ?? []
    releasePrimitiveSet(ordinal)
    let kept = Set(current.map(ObjectIdentifier.init))
    let known = Set(former.map(ObjectIdentifier.init))
    for object in former where !kept.contains(ObjectIdentifier(object)) {
      object.removeFromInverseIfPresent(self, relationship)
    }
    for object in current where !known.contains(ObjectIdentifier(object)) {
      object.addToInverseIfMissing(self, relationship)
    }
  }

  private func removeFromInverseIfPresent(
    _ object: NSManagedObject, _ relationship: NSRelationshipDescription
  ) {
    if leads(to: object, overInverseOf: relationship) { removeFromInverse(object, relationship) }
  }

  private func addToInverseIfMissing(
    _ object: NSManagedObject, _ relationship: NSRelationshipDescription
  ) {
    if !leads(to: object, overInverseOf: relationship) { addToInverse(object, relationship) }
  }

  private func leads(
    to object: NSManagedObject, overInverseOf relationship: NSRelationshipDescription
  ) -> Bool {
    guard let (inverse, ordinal) = inverse(of: relationship) else { return false }
    prepareAccess()
    guard inverse.isToMany else { return destination(ordinal) === object }
    return members(ordinal).contains(object)
  }

  // MARK: Collections

  /// The members in the form of key-value coding.
  final func collection(of objects: [NSManagedObject], _ relationship: NSRelationshipDescription)
    -> Any
  {
    relationship.isOrdered ? NSOrderedSet(array: objects) : NSSet.of(objects)
  }

  final func unique(_ objects: [NSManagedObject]) -> [NSManagedObject] {
    guard objects.count > 1 else { return objects }
    var known = Set<ObjectIdentifier>(minimumCapacity: objects.count)
    return objects.filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  final func related(_ value: Any?, for relationship: NSRelationshipDescription) -> NSManagedObject?
  {
    guard let value, !(value is NSNull) else { return nil }
    return object(value, for: relationship)
  }

  final func object(_ value: Any, for relationship: NSRelationshipDescription) -> NSManagedObject {
    let object = value as? NSManagedObject
    let destination = relationship.destinationEntity
    let isAccepted =
      object.map { object in destination.map(object.entity.isKindOf(entity:)) ?? true } ?? false
    guard let object, isAccepted else {
      preconditionFailure(
        "\(place(relationship)) relates to objects of \(destination?.name ?? "an entity without a name") and was given \(object?.entity.name.map { "one of \($0)" } ?? "a \(type(of: value))")."
      )
    }
    precondition(
      object.context == nil || context == nil || object.context === context,
      "\(place(relationship)) cannot reference an object of another context. Get it from this context by its objectID."
    )
    return object
  }

  final func objects(in value: Any?, for relationship: NSRelationshipDescription)
    -> [NSManagedObject]
  {
    let elements: [Any]
    switch value {
    case nil, is NSNull: elements = []
    case let objects as [NSManagedObject]: elements = objects
    case let set as NSOrderedSet: elements = set.array
    // A set has no order. Sorting by creation order keeps the results repeatable.
    case let set as NSSet: elements = set.allObjects.sorted(by: precedesByKey)
    case let array as [Any]: elements = array
    case let other?:
      preconditionFailure(
        "\(place(relationship)) is a to-many relationship: it takes a set of objects and was set to a \(type(of: other))."
      )
    }
    return elements.map { object($0, for: relationship) }
  }
}

/// Orders saved objects by key, and unsaved ones after them by creation.
private func precedesByKey(_ one: Any, _ other: Any) -> Bool {
  guard let one = one as? NSManagedObject, let other = other as? NSManagedObject else {
    return false
  }
  if (one.key < 0) != (other.key < 0) { return one.key >= 0 }
  if one.key != other.key { return one.key < 0 ? one.key > other.key : one.key < other.key }
  return one.layout.index < other.layout.index
}
