import ManagedObjectModel
import ManagedObjects

/// Changes of the owners and entities of objects.
extension Change {
  /// Inserts an object that belongs to one of the existing owners, if there are any.
  ///
  /// - Parameter owners: The entity of the owners.
  func insert(
    _ entity: String, in property: String, of owners: String, _ context: NSManagedObjectContext
  ) throws -> [Effect] {
    let owner = pick(try own(owners, context), 0)
    let object = make(entity, context)
    guard let owner else { return [.inserted(key: object.key)] }
    object.setValue(owner, forKey: property)
    return [
      .inserted(key: object.key),
      .wrote(key: object.key, property: property, text: owner.key, over: nil),
    ]
  }

  /// Replaces an object by one of another entity with the same title, in one save; the two may be
  /// in different stores.
  func move(_ entity: String, to other: String, _ context: NSManagedObjectContext) throws
    -> [Effect]
  {
    guard let object = pick(try all(entity, context), 0) else { return [] }
    let title = object.value(forKey: "title") as? String
    let copy = make(other, context)
    copy.setValue(title, forKey: "title")
    return [
      .inserted(key: copy.key),
      .wrote(key: copy.key, property: "title", text: ValueText.of(title), over: nil),
    ] + delete([object], context)
  }

  /// Assigns a locker to a member or to none; the locker and the member may have had another one.
  func giveLocker(_ context: NSManagedObjectContext) throws -> [Effect] {
    guard let locker = pick(try all("Locker", context), 0) else { return [] }
    let members: [NSManagedObject?] = try all("Member", context) + [nil]
    let member = members[picks[1] % members.count]
    let former = member?.value(forKey: "locker") as? NSManagedObject
    let effects = relate("member", to: member, of: locker)
    guard let former, let member, former !== locker, !effects.isEmpty else { return effects }
    return effects + [.wrote(key: former.key, property: "member", text: "", over: member.key)]
  }
}

extension NSManagedObject {
  /// Whether a deny rule prevents the deletion of the object.
  var isKept: Bool { !members(by: .denyDeleteRule).isEmpty }

  /// Whether deleting the object cascades to others.
  var hasBelongings: Bool { !members(by: .cascadeDeleteRule).isEmpty }

  /// The object, and the objects that its deletion cascades to.
  var withBelongings: [NSManagedObject] {
    [self] + members(by: .cascadeDeleteRule).flatMap(\.withBelongings)
  }

  /// The objects of the relationships with a delete rule in the simulated model, even if a mutation
  /// changes the device's model.
  private func members(by rule: NSDeleteRule) -> [NSManagedObject] {
    entity.relationshipsByName.keys.sorted().filter { name in
      SimulatedModel.Relation.rule(of: name, in: entity.name ?? "") == rule
    }.flatMap { members(of: $0).sorted { $0.key < $1.key } }
  }
}
