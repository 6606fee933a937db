// Creates a few notes, relates them, and fetches and sorts them as an application would.
import CoreData
import NotesModel

let work = Folder(name: "Work")
let home = Folder(name: "Home")
let urgent = Tag(name: "urgent")
let idea = Tag(name: "idea")

let taxes = Note(title: "Taxes")
taxes.folder = work
taxes.priority = 9
taxes.isPinned = true
taxes.addToTags(urgent)
taxes.addToAttachments(Attachment(name: "receipts.pdf"))
taxes.insertIntoAttachments(Attachment(name: "form.pdf"), at: 0)

let garden = Note(title: "Garden")
garden.folder = home
garden.addToTags(NSSet(object: idea))
garden.keywords = ["apples", "bees"]
garden.place = ["latitude": 52.5, "longitude": 13.4]

let speech = Note(title: "Speech for Émile")
speech.folder = home
speech.rating = 4.5
speech.tags = NSSet(array: [urgent, idea])

let notes = [taxes, garden, speech]

/// Prints a heading and one line for each note.
func show(_ heading: String, _ notes: [Note]) {
  print("\(heading):")
  for note in notes { print("  \(note.summary)") }
}

show("All notes, as they were made", notes)

let urgentOnes = NSPredicate(format: "ANY tags.name == %@", "urgent")
show("Urgent", notes.filter(urgentOnes.evaluate(with:)))

let named = NSPredicate(format: "title CONTAINS[cd] 'emile' OR priority > %d", 5)
show("About Émile, or important", notes.filter(named.evaluate(with:)))

let order = [
  NSSortDescriptor(keyPath: \Note.folder?.name, ascending: true),
  NSSortDescriptor(key: "title", ascending: false),
]
show(
  "By folder, then by title backwards",
  (notes as NSArray).sortedArray(using: order) as? [Note] ?? [])

print("The folder Home has \(home.entries?.count ?? 0) notes.")
let names = (taxes.attachments?.array as? [Attachment] ?? []).compactMap(\.name)
print("Attachments of Taxes: \(names.joined(separator: ", "))")
print(
  "The model has the entities \(Note.entity().managedObjectModel.entities.compactMap(\.name).sorted())."
)
