import ManagedObjectModel
import ManagedObjects

/// What belongs to something else: to it alone, or as long as that is there.
extension Change {
  /// Something that belongs to one of others, where there is one.
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

  /// Something becomes something else of the same title, in one save: both may be of different
  /// stores.
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

  /// A member gets a locker, which both may have been given otherwise before; or the locker is
  /// nobody's.
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
  /// Whether something keeps the object from being deleted.
  var isKept: Bool { !members(by: .denyDeleteRule).isEmpty }

  /// Whether something goes along when the object is deleted.
  var hasBelongings: Bool { !members(by: .cascadeDeleteRule).isEmpty }

  /// The object, and what goes along when it is deleted.
  var withBelongings: [NSManagedObject] {
    [self] + members(by: .cascadeDeleteRule).flatMap(\.withBelongings)
  }

  /// What the simulated model, not the one of a broken device, has a rule for.
  private func members(by rule: NSDeleteRule) -> [NSManagedObject] {
    entity.relationshipsByName.keys.sorted().filter { name in
      SimulatedModel.Relation.rule(of: name, in: entity.name ?? "") == rule
    }.flatMap { members(of: $0).sorted { $0.key < $1.key } }
  }
}
