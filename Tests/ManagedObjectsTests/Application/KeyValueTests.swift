import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// A class with custom accessors and keys.
final class Sculpture: NSManagedObject {
  private(set) var notices: [String] = []

  /// Returns a computed value for one key, and does not stop the program for others.
  override func value(forUndefinedKey key: String) -> Any? {
    key == "volume" ? NSNumber(value: volume) : nil
  }
  override func setValue(_ value: Any?, forUndefinedKey key: String) {
    notices.append("set \(key)")
  }
  override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { false }

  private var volume: Double { pow((value(forKey: "height") as? NSNumber)?.doubleValue ?? 0, 3) }

  /// A handwritten accessor.
  var height: Double {
    get {
      willAccessValue(forKey: "height")
      defer { didAccessValue(forKey: "height") }
      return (primitiveValue(forKey: "height") as? NSNumber)?.doubleValue ?? 0
    }
    set {
      willChangeValue(forKey: "height")
      setPrimitiveValue(newValue, forKey: "height")
      didChangeValue(forKey: "height")
    }
  }

  var gallery: NSManagedObject? {
    get { primitiveValue(forKey: "gallery") as? NSManagedObject }
    set {
      willChangeValue(forKey: "gallery")
      setPrimitiveValue(newValue, forKey: "gallery")
      didChangeValue(forKey: "gallery")
    }
  }

  override func willChangeValue(forKey key: String) {
    notices.append("will \(key)")
    super.willChangeValue(forKey: key)
  }

  override func didChangeValue(forKey key: String) {
    super.didChangeValue(forKey: key)
    notices.append("did \(key)")
  }

  override func changedValues() -> [String: Any] {
    super.changedValues().merging(["seen": true]) { $1 }
  }
}

/// The entry points of key-value coding.
@Suite struct KeyValueTests {
  private let office: Office
  private var context: NSManagedObjectContext { office.context }

  init() throws { office = try Office(model: Self.model()) }

  private static func model() -> NSManagedObjectModel {
    let (sculpture, gallery) = (NSEntityDescription(), NSEntityDescription())
    (sculpture.name, gallery.name) = ("Sculpture", "Gallery")
    sculpture.managedObjectClassName = NSStringFromClass(Sculpture.self)
    let (works, home) = (NSRelationshipDescription(), NSRelationshipDescription())
    (works.name, home.name) = ("works", "gallery")
    (works.maxCount, home.maxCount) = (0, 1)
    (works.destinationEntity, home.destinationEntity) = (sculpture, gallery)
    (works.inverseRelationship, home.inverseRelationship) = (home, works)
    works.deleteRule = .noActionDeleteRule
    for relationship in [works, home] { relationship.isOptional = true }
    sculpture.properties = [
      KitchenModel.attribute("name", .stringAttributeType),
      KitchenModel.attribute("height", .doubleAttributeType),
      home,
    ]
    gallery.properties = [KitchenModel.attribute("name", .stringAttributeType), works]
    let model = NSManagedObjectModel()
    model.entities = [sculpture, gallery]
    return model
  }

  private func gallery(_ heights: [Double] = [1, 2, 3]) -> NSManagedObject {
    let gallery = context.insert("Gallery")
    gallery.setValue("Hall", forKey: "name")
    for (number, height) in heights.enumerated() {
      let work = context.insert("Sculpture", as: Sculpture.self)
      work.setValuesForKeys(["name": "S\(number)", "height": height, "gallery": gallery])
    }
    return gallery
  }

  @Test func `Key paths follow relationships, and collection operators compute over them`() {
    let gallery = gallery()
    #expect(gallery.value(forKeyPath: "works.@count") as? Int == 3)
    #expect(gallery.value(forKeyPath: "works.@sum.height") as? Double == 6)
    #expect(gallery.value(forKeyPath: "works.@max.height") as? Double == 3)
    #expect(gallery.value(forKeyPath: "works.@avg.height") as? Double == 2)
    let names = (gallery.value(forKeyPath: "works.name") as? [Any])?.compactMap { $0 as? String }
    #expect(names.map(Set.init) == ["S0", "S1", "S2"])
    let work = gallery.mutableSetValue(forKey: "works").allObjects.first as? Sculpture
    #expect(work?.value(forKeyPath: "gallery.name") as? String == "Hall")
    work?.setValue("Yard", forKeyPath: "gallery.name")
    #expect(gallery.value(forKey: "name") as? String == "Yard")
  }

  @Test func `Custom accessors record changes and set the inverse`() throws {
    let gallery = gallery([])
    let work = context.insert("Sculpture", as: Sculpture.self)
    work.height = 2
    work.gallery = gallery
    #expect(work.notices == ["will height", "did height", "will gallery", "did gallery"])
    #expect(gallery.mutableSetValue(forKey: "works").allObjects as? [Sculpture] == [work])
    try context.save()
    work.height = 5
    #expect(work.isUpdated && work.changedValues().keys.sorted() == ["height", "seen"])
    #expect(work.committedValues(forKeys: ["height"])["height"] as? Double == 2)
    work.gallery = nil
    #expect(gallery.mutableSetValue(forKey: "works").count == 0)
  }

  @Test func `Keys that the entity lacks are read from the class`() {
    let work = context.insert("Sculpture", as: Sculpture.self)
    work.height = 2
    #expect(work.value(forKey: "volume") as? Double == 8 && work.value(forKey: "nothing") == nil)
    work.setValue(1, forKey: "nonsense")
    #expect(work.notices.last == "set nonsense")
    #expect(work.dictionaryWithValues(forKeys: ["name", "height", "volume"]).count == 3)
    #expect(work.value(forKey: "objectID") as? NSManagedObjectID == work.objectID)
    #expect(work.value(forKeyPath: "self.height") as? Double == 2)
  }

  @Test func `A set of members changes the relationship`() throws {
    let gallery = gallery()
    let works = gallery.mutableSetValue(forKey: "works")
    let first = try #require(works.allObjects.first as? Sculpture)
    works.remove(first)
    #expect(works.count == 2 && !works.contains(first) && first.gallery == nil)
    works.add(first)
    #expect(first.gallery === gallery)
    works.removeAllObjects()
    #expect(works.count == 0 && first.gallery == nil)
    works.addObjects(from: [first])
    #expect(works.count == 1)
  }

  @Test func `The rule No Action leaves the other side alone`() throws {
    let gallery = gallery([1])
    let work = try #require(gallery.mutableSetValue(forKey: "works").allObjects.first as? Sculpture)
    try context.save()
    context.delete(gallery)
    context.processPendingChanges()
    #expect(!work.isUpdated && !work.isDeleted)
    try context.save()
    #expect(
      try office.newContext().count(for: NSFetchRequest<NSManagedObject>(entityName: "Sculpture"))
        == 1)
  }
}
