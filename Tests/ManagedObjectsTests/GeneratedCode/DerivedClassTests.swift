import Foundation
import ManagedObjectModel
import ManagedObjects
import Testing

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
