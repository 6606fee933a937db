import CoreData
import Foundation
import NotesModel
import Testing

// The testing library has types of these names too.
import class NotesModel.Attachment
import class NotesModel.Tag

@Suite struct GeneratedClassTests {
  @Test func `A new note has the model's defaults`() {
    let note = Note(title: "New")
    #expect(note.priority == 3)
    #expect(note.isPinned == false)
    #expect(note.words == 0)
    #expect(note.price == 0)
    #expect(note.rating == nil)
    #expect(note.created == nil)
    #expect(note.attachments == NSOrderedSet())
    #expect(Folder(entity: Folder.entity(), insertInto: nil).name == "Untitled")
  }

  @Test func `Every kind of property keeps its value`() {
    let note = Note(title: "All")
    let id = UUID()
    note.id = id
    note.created = Date(timeIntervalSinceReferenceDate: 1)
    note.`extension` = "txt"
    note.isPinned = true
    note.keywords = ["a", "b"]
    note.link = URL(string: "https://example.org")
    note.place = ["latitude": 1.5]
    note.price = NSDecimalNumber(string: "1.25")
    note.priority = -5
    note.rating = 0.5
    note.style = Style(fontSize: 12)
    note.words = .max
    #expect(note.id == id)
    #expect(note.created == Date(timeIntervalSinceReferenceDate: 1))
    #expect(note.`extension` == "txt")
    #expect(note.isPinned)
    #expect(note.keywords == ["a", "b"])
    #expect(note.link == URL(string: "https://example.org"))
    #expect(note.place?["latitude"] as? Double == 1.5)
    #expect(note.price == NSDecimalNumber(string: "1.25"))
    #expect(note.priority == -5)
    #expect(note.rating == 0.5)
    #expect(note.style?.fontSize == 12)
    #expect(note.words == .max)
  }

  @Test func `Relationships keep their inverses`() {
    let (note, folder, tag) = (Note(title: "A"), Folder(name: "F"), Tag(name: "T"))
    note.folder = folder
    tag.addToNotes(note)
    #expect(folder.entries == NSSet(object: note))
    #expect(note.tags == NSSet(object: tag))
    folder.removeFromEntries(NSSet(object: note))
    #expect(note.folder == nil)
  }

  @Test func `An ordered relationship has its methods`() {
    let note = Note(title: "A")
    let (one, two, three) = (Attachment(name: "1"), Attachment(name: "2"), Attachment(name: "3"))
    note.addToAttachments(NSOrderedSet(array: [one, three]))
    note.insertIntoAttachments(two, at: 1)
    #expect(note.attachments?.array as? [Attachment] == [one, two, three])
    note.removeFromAttachments(at: 0)
    note.replaceAttachments(at: 1, with: one)
    #expect(note.attachments?.array as? [Attachment] == [two, one])
    #expect(three.note == nil)
  }

  @Test func `Requests name the entity, and their type follows the class`() {
    let request = Note.fetchRequest()
    #expect(request.entityName == "Note")
    let base: NSFetchRequest<any NSFetchRequestResult> = Note.fetchRequest()
    #expect(base.entity === Note.entity())
    let entries: NSFetchRequest<Entry> = Entry.fetchRequest()
    #expect(entries.entityName == "Entry")
  }

  @Test func `Objects are identifiable`() {
    func identifier<Value: Identifiable>(of value: Value) -> Value.ID { value.id }
    let (note, tag) = (Note(title: "A"), Tag(name: "T"))
    note.id = UUID()
    #expect(identifier(of: note) == note.id)
    #expect(identifier(of: tag) == ObjectIdentifier(tag))
  }

  @Test func `Key paths have the names of properties`() throws {
    #expect(try (\Note.folder?.name).propertyPath() == "folder.name")
    #expect(try (\Note.created).propertyPath() == "created")
    #expect(NSSortDescriptor(keyPath: \Note.title, ascending: true).key == "title")
  }

  @Test func `Inherited properties and classes follow the parents of entities`() {
    #expect(Note(title: "A") as Any is Entry)
    #expect(Note.entity().superentity?.name == "Entry")
    #expect(Entry.entity().isAbstract)
    #expect(Note.entity() === Note(title: "B").entity)
  }
}
