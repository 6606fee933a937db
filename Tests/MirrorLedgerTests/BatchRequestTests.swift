import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import PredicateLanguage
import Testing

/// Batch requests on a store that mirrors: they save no objects, and their changes are sent.
struct BatchRequestTests {
  private func request(_ entity: String, _ format: String) -> NSFetchRequest<
    any NSFetchRequestResult
  > {
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
    request.predicate = NSPredicate(format: format)
    return request
  }

  @Test func `Inserted objects enter the outbox`() throws {
    try withNotebook { notebook, _ in
      let objects: [[String: Any]] = [["title": "a"], ["title": "b"]]
      _ = try notebook.context.execute(NSBatchInsertRequest(entityName: "Note", objects: objects))
      #expect(try notebook.waiting() == ["insertion Note/1", "insertion Note/2"])
    }
  }

  @Test func `Updated objects enter the outbox with their changed properties`() throws {
    try withNotebook { notebook, _ in
      for rank in 1...3 { try notebook.insert("Note", ["rank": rank]) }
      try notebook.insert("Task", ["rank": 9])
      try notebook.save()
      try notebook.settle()
      let update = NSBatchUpdateRequest(entityName: "Note")
      update.predicate = NSPredicate(format: "rank > 2")
      update.propertiesToUpdate = [
        "title": "high", "rank": PredicateLanguage.NSExpression(format: "rank + 1"),
      ]
      _ = try notebook.context.execute(update)
      #expect(
        try Set(notebook.waiting()) == ["update Note/3 rank,title", "update Task/4 rank,title"])
    }
  }

  @Test func `Deleted objects, their pairs, and cascades enter the outbox`() throws {
    try withNotebook { notebook, _ in
      let tag = try notebook.insert("Tag", ["word": "red"])
      let folder = try notebook.insert("Folder", ["name": "f"])
      try notebook.insert("Note", ["title": "a", "tags": NSSet(array: [tag])])
      try notebook.insert("Note", ["title": "b", "folder": folder])
      try notebook.save()
      try notebook.settle()
      _ = try notebook.context.execute(
        NSBatchDeleteRequest(fetchRequest: request("Note", "title == 'a'")))
      _ = try notebook.context.execute(
        NSBatchDeleteRequest(fetchRequest: request("Folder", "name == 'f'")))
      let waiting = try notebook.waiting()
      #expect(waiting.filter { $0.contains("Note/1") } == ["deletion Note/1"])
      #expect(waiting.contains("deletion Note/2") && waiting.contains("deletion Folder/1"))
      #expect(waiting.filter { $0.hasPrefix("deletion") }.count == 4, "with the pair: \(waiting)")
    }
  }

  @Test func `A batch request and a save are sent in their order`() throws {
    try withNotebook { notebook, _ in
      _ = try notebook.context.execute(
        NSBatchInsertRequest(entityName: "Note", objects: [["title": "a"]]))
      let note = try #require(try notebook.find("Note").first)
      note.setValue("changed", forKey: "title")
      try notebook.save()
      #expect(try notebook.waiting() == ["insertion Note/1"])
      _ = try notebook.context.execute(NSBatchDeleteRequest(objectIDs: [note.objectID]))
      #expect(try notebook.waiting().isEmpty)
    }
  }

  @Test func `A request of the import's author is not sent`() throws {
    try withNotebook { notebook, _ in
      notebook.context.transactionAuthor = MirrorNames.importAuthor
      _ = try notebook.context.execute(
        NSBatchInsertRequest(entityName: "Note", objects: [["title": "a"]]))
      #expect(try notebook.waiting().isEmpty)
    }
  }
}
