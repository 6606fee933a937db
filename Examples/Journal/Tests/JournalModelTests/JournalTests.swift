import CoreData
import JournalModel
import Testing

@Suite struct JournalTests {
  let controller = PersistenceController(url: nil)

  @MainActor @Test func `A new entry has an identifier and a date`() throws {
    let context = controller.container.viewContext
    let entry = Entry(context: context)
    #expect(entry.identifier != nil && entry.created != nil)
    #expect(entry.objectID.isTemporaryID)
  }

  @Test func `An entry without a title is not saved`() throws {
    let context = controller.newTaskContext()
    context.performAndWait {
      _ = Entry(context: context)
      #expect(throws: CocoaError.self) { try context.save() }
    }
  }

  @MainActor @Test func `Views see a save of a background context`() async throws {
    let context = controller.newTaskContext()
    let identifier = try await context.perform {
      let entry = Entry(context: context)
      entry.title = "Storm"
      try context.save()
      return entry.objectID
    }
    let found = try controller.container.viewContext.existingObject(with: identifier) as? Entry
    #expect(found?.title == "Storm")
  }
}
