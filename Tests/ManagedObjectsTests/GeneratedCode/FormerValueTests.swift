import Foundation
import ManagedObjectModel
import ManagedObjects
import Testing

/// The former values of objects whose accessors set them by ordinal.
@Suite struct FormerValueTests {
  @Test func `Former values are those of the row, also after a relationship was set`() throws {
    try inFetchedVolume { context, volume, shelves in
      volume.name = "new"
      #expect(volume.changedValuesForCurrentEvent()["name"] as? String == "old")
      volume.bookcase = shelves[1]
      volume.name = "newest"
      let former = volume.changedValuesForCurrentEvent()
      #expect(former["name"] as? String == "old")
      #expect(former["bookcase"] as? Bookcase === shelves[0])
      #expect(Set(volume.changedValues().keys) == ["name", "bookcase"])
      try context.save()
      #expect(volume.changedValuesForCurrentEvent().isEmpty)
    }
  }

  @Test func `A primitive destination does not replace the former one`() throws {
    try inFetchedVolume { _, volume, shelves in
      volume.name = "new"
      volume.setPrimitiveValue(shelves[1], forKey: "bookcase")
      let former = volume.changedValuesForCurrentEvent()
      #expect(former["bookcase"] as? Bookcase === shelves[0])
      #expect(former["name"] as? String == "old")
    }
  }

  @Test func `Undo restores attributes and relationships of two events`() throws {
    try inFetchedVolume { context, volume, shelves in
      context.undoManager = ManagedObjects.UndoManager()
      volume.name = "new"
      context.processPendingChanges()
      context.undoManager?.endEvent()
      volume.name = "newest"
      volume.bookcase = shelves[1]
      context.processPendingChanges()
      context.undoManager?.endEvent()
      context.undo()
      #expect(volume.name == "new" && volume.bookcase === shelves[0])
      #expect(shelves[0].volumeSet == [volume] && shelves[1].volumeSet.isEmpty)
      context.undo()
      #expect(volume.name == "old")
      context.redo()
      #expect(volume.name == "new")
    }
  }

  /// Calls a closure with a volume that was fetched without its relationships, and two bookcases.
  ///
  /// The volume is in the first one.
  private func inFetchedVolume(
    _ body: (NSManagedObjectContext, Volume, [Bookcase]) throws -> Void
  ) throws {
    let kitchen = try Kitchen(model: #require(BookcaseModel.linked()))
    try kitchen.inContext { context in
      let shelves = ["a", "b"].map { label in
        let bookcase = Bookcase(context: context)
        bookcase.label = label
        return bookcase
      }
      let volume = Volume(context: context)
      (volume.name, volume.bookcase) = ("old", shelves[0])
      try context.save()
    }
    try kitchen.inContext { context in
      let shelves = try context.fetch(NSFetchRequest<Bookcase>(entityName: "Bookcase"))
        .sorted { ($0.label ?? "") < ($1.label ?? "") }
      let request = NSFetchRequest<Volume>(entityName: "Volume")
      request.returnsObjectsAsFaults = false
      try body(context, #require(try context.fetch(request).first), shelves)
    }
  }
}
