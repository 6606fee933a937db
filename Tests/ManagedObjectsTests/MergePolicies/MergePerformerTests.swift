import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// The relationships of a duplicate that is merged into the winner.
@Suite struct MergePerformerTests {
  private let context: NSManagedObjectContext
  private let office: Office

  /// Nodes with a unique name, and every kind of relationship between two of them.
  private static let model: NSManagedObjectModel = {
    let node = NSEntityDescription()
    node.name = "Node"
    let name = NSAttributeDescription()
    name.name = "name"
    name.attributeType = .stringAttributeType
    let note = NSAttributeDescription()
    note.name = "note"
    note.attributeType = .stringAttributeType
    node.properties = [name, note]
    relate(node, "next", many: false, "previous", many: true, .nullifyDeleteRule)
    relate(node, "links", many: true, "users", many: true, .cascadeDeleteRule)
    node.uniquenessConstraints = [["name"]]
    let model = NSManagedObjectModel()
    model.entities = [node]
    return model
  }()

  private static func relate(
    _ node: NSEntityDescription, _ name: String, many: Bool, _ inverse: String,
    many inverseIsToMany: Bool,
    _ rule: NSDeleteRule
  ) {
    let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
    (there.name, back.name) = (name, inverse)
    (there.maxCount, back.maxCount) = (many ? 0 : 1, inverseIsToMany ? 0 : 1)
    (there.destinationEntity, back.destinationEntity) = (node, node)
    (there.inverseRelationship, back.inverseRelationship) = (back, there)
    there.deleteRule = rule
    back.deleteRule = .nullifyDeleteRule
    node.properties += [there, back]
  }

  init() throws {
    office = try Office(model: Self.model)
    context = office.context
  }

  private func node(_ name: String) -> NSManagedObject {
    let node = context.insert("Node")
    node.setValue(name, forKey: "name")
    return node
  }

  private func names(_ key: String, of node: NSManagedObject) -> [String] {
    (node.value(forKey: key) as? Set<NSManagedObject> ?? []).compactMap {
      $0.value(forKey: "name") as? String
    }.sorted()
  }

  /// A saved node, and an unsaved one with the same name.
  private func duplicate() throws -> (survivor: NSManagedObject, duplicate: NSManagedObject) {
    let survivor = node("A")
    try context.save()
    return (survivor, node("A"))
  }

  private func save(_ policy: NSMergePolicy = .mergeByPropertyObjectTrump) throws {
    context.mergePolicy = policy
    try context.save()
  }

  @Test func `A winner does not refer to itself after a merge`() throws {
    let (survivor, duplicate) = try duplicate()
    let other = node("B")
    survivor.setValue(other, forKey: "next")
    try context.obtainPermanentIDs(for: [other])
    duplicate.setValue(survivor, forKey: "next")
    try save()
    #expect(survivor.value(forKey: "next") as? NSManagedObject === other)
    #expect(names("previous", of: survivor) == [])
  }

  @Test func `A winner among the duplicate's members is not its own member`() throws {
    let (survivor, duplicate) = try duplicate()
    let other = node("B")
    duplicate.setValue(NSSet(array: [survivor, other]), forKey: "links")
    try save()
    #expect(names("links", of: survivor) == ["B"] && names("users", of: survivor) == [])
  }

  @Test func `The duplicate's members survive although its rule is Cascade`() throws {
    let (survivor, duplicate) = try duplicate()
    let other = node("B")
    duplicate.setValue(NSSet(array: [other]), forKey: "links")
    try save()
    #expect(other.managedObjectContext != nil && names("users", of: other) == ["A"])
    #expect(names("links", of: survivor) == ["B"])
    let stored = try office.newContext().fetch(NSFetchRequest<NSManagedObject>(entityName: "Node"))
    #expect(stored.compactMap { $0.value(forKey: "name") as? String }.sorted() == ["A", "B"])
  }

  @Test(
    arguments: [
      (NSMergePolicyType.overwriteMergePolicyType, ["C"]),
      (.mergeByPropertyObjectTrumpMergePolicyType, ["B", "C"]),
    ])
  func `An overwriting policy replaces members, others add them`(
    _ policy: NSMergePolicyType, _ expected: [String]
  ) throws {
    let survivor = node("A")
    survivor.setValue(NSSet(array: [node("B")]), forKey: "links")
    try context.save()
    node("A").setValue(NSSet(array: [node("C")]), forKey: "links")
    try save(NSMergePolicy(merge: policy))
    #expect(names("links", of: survivor) == expected)
  }

  @Test func `Values that the duplicate did not set keep the winner's`() throws {
    let survivor = node("A")
    survivor.setValue("old", forKey: "note")
    survivor.setValue(node("B"), forKey: "next")
    try context.save()
    _ = node("A")
    try save()
    #expect(survivor.value(forKey: "note") as? String == "old")
    #expect(
      (survivor.value(forKey: "next") as? NSManagedObject)?.value(forKey: "name") as? String == "B")
    let duplicate = node("A")
    duplicate.setValue("new", forKey: "note")
    duplicate.setValue(node("C"), forKey: "next")
    try save()
    #expect(survivor.value(forKey: "note") as? String == "new")
    #expect(
      (survivor.value(forKey: "next") as? NSManagedObject)?.value(forKey: "name") as? String == "C")
  }

  @Test func `The store-trump policy fills only what the winner has not set`() throws {
    let survivor = node("A")
    survivor.setValue(node("B"), forKey: "next")
    try context.save()
    let duplicate = node("A")
    duplicate.setValue("new", forKey: "note")
    duplicate.setValue(node("C"), forKey: "next")
    try save(.mergeByPropertyStoreTrump)
    #expect(survivor.value(forKey: "note") as? String == "new")
    #expect(
      (survivor.value(forKey: "next") as? NSManagedObject)?.value(forKey: "name") as? String == "B")
    node("A").setValue("newest", forKey: "note")
    try save(.mergeByPropertyStoreTrump)
    #expect(survivor.value(forKey: "note") as? String == "new")
  }

  @Test func `An object that takes another row's value gets its former value back`() throws {
    let (one, other) = (node("A"), node("B"))
    try context.save()
    other.setValue("A", forKey: "name")
    other.setValue("kept", forKey: "note")
    try save(.mergeByPropertyStoreTrump)
    #expect(
      other.value(forKey: "name") as? String == "B"
        && other.value(forKey: "note") as? String == "kept")
    #expect(one.value(forKey: "name") as? String == "A")
  }
}
