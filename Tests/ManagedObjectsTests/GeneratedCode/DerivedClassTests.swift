import Foundation
import ManagedObjectModel
import ManagedObjects
import Testing

/// A class with life-cycle methods and validation, above a generated one.
class Vessel: NSManagedObject {
  private(set) var calls: [String] = []

  override func willSave() { calls.append("willSave") }
  override func didSave() { calls.append("didSave") }
  override func validateForInsert() throws {
    try super.validateForInsert()
    calls.append("validateForInsert")
  }
}

final class Kayak: Vessel {
  override class var _hasGeneratedBody: Bool { self == Kayak.self }
}

/// The model of vessels, linked into the process like the build plug-in links models.
private enum VesselModel {
  static let linked: NSManagedObjectModel? = {
    let entities = [Vessel.self, Kayak.self].map { managedObjectClass in
      let entity = NSEntityDescription()
      entity.name = "\(managedObjectClass)"
      entity.managedObjectClassName = NSStringFromClass(managedObjectClass)
      return entity
    }
    entities[0].subentities = [entities[1]]
    let model = NSManagedObjectModel()
    model.entities = entities
    let compiled = Result { try CompiledModel.write(model) }
    ModelRegistry.register(
      name: "VesselModel", classes: ["Vessel": Vessel.self, "Kayak": Kayak.self]
    ) { (try? compiled.get()) ?? Data() }
    return NSManagedObjectModel.linked(named: "VesselModel")
  }()
}

@Suite struct `A class that is derived from a generated one` {
  @Test func `A derived class has its own initializer and life-cycle methods`() throws {
    let kitchen = try Kitchen(model: #require(BookcaseModel.linked()))
    try kitchen.inContext { context in
      let atlas = Atlas(context: context)
      #expect(atlas.givenEntity == "Atlas")
      atlas.name = "World"
      try context.save()
      #expect(atlas.checks == 1)
    }
    try kitchen.inContext { context in
      let request = NSFetchRequest<Volume>(entityName: "Volume")
      request.returnsObjectsAsFaults = false
      let atlas = try #require(try context.fetch(request).first as? Atlas)
      #expect(atlas.name == "World")
      #expect(atlas.fetches == 1)
    }
  }

  @Test func `A generated class has the life-cycle methods of a handwritten superclass`() throws {
    let kitchen = try Kitchen(model: #require(VesselModel.linked))
    try kitchen.inContext { context in
      let kayak = Kayak(context: context)
      try context.save()
      #expect(kayak.calls == ["willSave", "validateForInsert", "didSave"])
    }
  }

  @Test func `A derived class leaves the generated one unchanged`() throws {
    let kitchen = try Kitchen(model: #require(BookcaseModel.linked()))
    try kitchen.inContext { context in
      let volume = Volume(context: context)
      #expect(volume.entity.name == "Volume")
      #expect(volume.managedObjectContext === context && volume.isInserted)
      volume.name = "Alps"
      try context.save()
      #expect(try context.count(for: NSFetchRequest<Volume>(entityName: "Volume")) == 1)
    }
  }
}
