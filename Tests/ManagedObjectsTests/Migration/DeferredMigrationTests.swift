import Foundation
import ManagedObjectModel
import ManagedObjects
import TestSupport
import Testing

@Suite struct `Finishing a deferred migration` {
  private static let key = NSPersistentStoreDeferredLightweightMigrationOptionKey

  private func isDeferred(_ office: Office) -> Bool {
    let store = office.coordinator.persistentStores[0]
    return office.coordinator.metadata(for: store)[Self.key] as? Bool == true
  }

  private func titles(_ office: Office) throws -> [String?] {
    let notes = try office.newContext().fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
    return notes.map { $0.value(forKey: "title") as? String }
  }

  /// A store whose migration has left a column and a table.
  private func migrated(in folder: URL) throws -> Office {
    let file = folder.appendingPathComponent("Notes.sqlite")
    var old = NotesModel.second
    old.otherEntities = ["Tag"]
    let former = try Office(model: old.model, at: file)
    let note = former.context.insert("Note")
    note.setValue("one", forKey: "title")
    note.setValue("body", forKey: "body")
    try former.context.save()
    try former.coordinator.remove(former.coordinator.persistentStores[0])
    return try Office(
      model: NotesModel.first.model, at: file,
      options: [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true, Self.key: true,
      ])
  }

  @Test func `The metadata has the key until all work is finished`() throws {
    try withTemporaryDirectory { folder in
      let office = try migrated(in: folder)
      #expect(isDeferred(office))
      #expect(try titles(office) == ["one"])
      try office.coordinator.finishDeferredLightweightMigration()
      #expect(!isDeferred(office))
      #expect(try titles(office) == ["one"])
      try office.coordinator.finishDeferredLightweightMigration()
    }
  }

  @Test func `One task at a time leads to the same end while objects change`() throws {
    try withTemporaryDirectory { folder in
      let office = try migrated(in: folder)
      let note = try #require(
        office.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).first)
      for title in ["two", "three"] {
        #expect(isDeferred(office))
        note.setValue(title, forKey: "title")
        try office.coordinator.finishDeferredLightweightMigrationTask()
        try office.context.save()
        #expect(try titles(office) == [title])
      }
      #expect(!isDeferred(office))
      try office.coordinator.finishDeferredLightweightMigrationTask()
    }
  }

  @Test func `A coordinator without deferred work does nothing`() throws {
    try Office().coordinator.finishDeferredLightweightMigration()
  }
}
