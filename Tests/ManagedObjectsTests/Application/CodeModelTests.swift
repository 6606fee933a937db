import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import TestSupport
import Testing

/// A class of a model that is written in Swift.
final class Letter: NSManagedObject {
  var title: String? {
    get { value(forKey: "title") as? String }
    set { setValue(newValue, forKey: "title") }
  }
}

/// A model in Swift, from its creation to a fetch.
@MainActor @Suite struct CodeModelTests {
  private func model() -> NSManagedObjectModel {
    let letter = NSEntityDescription()
    letter.name = "Letter"
    letter.managedObjectClassName = NSStringFromClass(Letter.self)
    let title = NSAttributeDescription()
    title.name = "title"
    title.attributeType = .stringAttributeType
    letter.properties = [title]
    let model = NSManagedObjectModel()
    model.entities = [letter]
    return model
  }

  private func container(_ model: NSManagedObjectModel, at url: URL?) throws
    -> NSPersistentContainer
  {
    let container = NSPersistentContainer(name: "Letters", managedObjectModel: model)
    let description = NSPersistentStoreDescription()
    description.type = url == nil ? NSInMemoryStoreType : NSSQLiteStoreType
    description.url = url
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
  }

  private func writeAndFetch(in context: NSManagedObjectContext) throws {
    Letter(context: context).title = "Dear"
    try context.save()
    context.reset()
    let letters: [Letter] = try context.fetch(NSFetchRequest<Letter>(entityName: "Letter"))
    #expect(letters.map(\.title) == ["Dear"])
    let untyped: NSFetchRequest<any NSFetchRequestResult> = Letter.fetchRequest()
    #expect(try context.count(for: untyped) == 1)
    #expect(NSEntityDescription.insertNewObject(forEntityName: "Letter", into: context) is Letter)
    context.rollback()
    // MigratingSources.md advises this form in place of a cast between request types.
    let plain = NSFetchRequest<NSManagedObject>(entityName: "Letter")
    #expect(
      try context.fetch(unsafeBitCast(plain, to: NSFetchRequest<Letter>.self)).map(\.title) == [
        "Dear"
      ])
  }

  @Test func `A model in Swift works with a container and its class`() throws {
    try withTemporaryDirectory { folder in
      let model = model()
      try writeAndFetch(
        in: container(model, at: folder.appendingPathComponent("Letters.sqlite")).viewContext)
      #expect(Letter.entity().name == "Letter")
    }
  }

  @Test func `A copy of the model and one read from a file work too`() throws {
    let copy = try #require(model().copy() as? NSManagedObjectModel)
    try writeAndFetch(in: container(copy, at: nil).viewContext)
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("Letters.mom")
      try CompiledModel.write(model()).write(to: file)
      let read = try #require(NSManagedObjectModel(contentsOf: file))
      try writeAndFetch(in: container(read, at: nil).viewContext)
    }
  }
}
