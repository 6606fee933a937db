// Uses a journal's store as an application for Apple's platforms would: import in the background,
// fetches, validation, conflicts, deletions, and the history.
import CoreData
import JournalModel

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
  "journal-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let store = folder.appendingPathComponent("Journal.sqlite")

func section(_ title: String) { print("\n# \(title)") }

// MARK: Writing in the background

section("Import")
let controller = PersistenceController(url: store)
let viewContext = controller.container.viewContext
let taskContext = controller.newTaskContext(author: "import")
try taskContext.performAndWait {
  let travel = Journal(context: taskContext)
  travel.name = "Travel"
  let home = Journal(context: taskContext)
  home.name = "Home"
  let tags = ["sea", "food", "garden"].map { name in
    let tag = Tag(context: taskContext)
    tag.name = name
    return tag
  }
  for (number, title) in ["Arrival", "Market", "Storm", "Apple tree", "Élan", "été"].enumerated() {
    let entry = Entry(context: taskContext)
    entry.title = title
    entry.created = Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)
    entry.rating = Int16(number % 6)
    entry.isFavorite = number.isMultiple(of: 2)
    entry.journal = number < 3 ? travel : home
    entry.addToTags(tags[number % 3])
    let photo = Photo(context: taskContext)
    photo.fileName = "\(number).jpg"
    photo.data = Data(repeating: UInt8(number), count: number == 2 ? 200_000 : 10)
    entry.insertIntoPhotos(photo, at: 0)
  }
  print("inserted \(taskContext.insertedObjects.count) objects")
  try taskContext.save()
  print("changes left: \(taskContext.hasChanges)")
}

// MARK: Reading

section("Fetches")
let latest = try viewContext.fetch(Entry.latest(2))
print("latest: \(latest.map { $0.title ?? "" })")

let byText: NSFetchRequest<Entry> = Entry.fetchRequest()
byText.predicate = NSPredicate(
  format: "title BEGINSWITH[cd] %@ AND journal.name == %@", "e", "Home")
byText.sortDescriptors = [
  NSSortDescriptor(key: "title", ascending: true, selector: Selector("localizedStandardCompare:"))
]
print("like e: \(try viewContext.fetch(byText).map { $0.title ?? "" })")

let tagged: NSFetchRequest<Entry> = Entry.fetchRequest()
tagged.predicate = NSPredicate(format: "ANY tags.name IN %@", ["sea", "garden"])
tagged.sortDescriptors = [NSSortDescriptor(keyPath: \Entry.title, ascending: true)]
tagged.relationshipKeyPathsForPrefetching = ["tags"]
for entry in try viewContext.fetch(tagged) { print("\(entry.title ?? ""): \(entry.tagNames)") }

let favorites = viewContext.persistentStoreCoordinator?.managedObjectModel
  .fetchRequestFromTemplate(withName: "Favorites", substitutionVariables: ["rating": 2])
print("favorites: \(try favorites.map { try viewContext.count(for: $0) } ?? 0)")

let statistics = NSFetchRequest<NSDictionary>(entityName: "Entry")
statistics.resultType = .dictionaryResultType
let average = NSExpressionDescription()
average.name = "average"
average.expression = NSExpression(
  forFunction: "average:", arguments: [NSExpression(forKeyPath: "rating")])
average.expressionResultType = .doubleAttributeType
statistics.propertiesToFetch = ["journal.name", average]
statistics.propertiesToGroupBy = ["journal.name"]
statistics.sortDescriptors = [NSSortDescriptor(key: "journal.name", ascending: true)]
for row in try viewContext.fetch(statistics) {
  print("\(row["journal.name"] ?? ""): \(row["average"] ?? "")")
}

// MARK: Validation

section("Validation")
latest[0].rating = 9
latest[0].title = ""
do {
  try viewContext.save()
} catch let error as NSError {
  let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
  print(details.map { "\($0.userInfo[NSValidationKeyErrorKey] ?? ""): \($0.code)" }.sorted())
}
viewContext.rollback()
print("after rollback: \(latest[0].title ?? "") \(latest[0].rating)")

// MARK: Conflicts

section("Conflict")
let title = latest[0].title ?? ""
try taskContext.performAndWait {
  let request: NSFetchRequest<Entry> = Entry.fetchRequest()
  request.predicate = NSPredicate(format: "title == %@", title)
  let entry = try taskContext.fetch(request)[0]
  entry.text = "written in the background"
  entry.rating = 1
  try taskContext.save()
}
let careful = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
careful.persistentStoreCoordinator = controller.container.persistentStoreCoordinator
if let entry = try careful.existingObject(with: latest[0].objectID) as? Entry {
  entry.rating = 4
  try taskContext.performAndWait {
    let other = try taskContext.existingObject(with: latest[0].objectID) as? Entry
    other?.rating = 2
    try taskContext.save()
  }
  do {
    try careful.save()
  } catch let error as NSError {
    print("refused: \(error.code == NSManagedObjectMergeError)")
  }
  careful.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
  try careful.save()
  print("after the merge: \(entry.rating), \(entry.text ?? "")")
}
let duplicate = Tag(context: careful)
duplicate.name = "sea"
try careful.save()
print("tags: \(try careful.count(for: Tag.fetchRequest()))")

// MARK: Deleting

section("Deleting")
try taskContext.performAndWait {
  let request: NSFetchRequest<Journal> = Journal.fetchRequest()
  request.predicate = NSPredicate(format: "name == 'Travel'")
  for journal in try taskContext.fetch(request) { taskContext.delete(journal) }
  try taskContext.save()
  print("entries: \(try taskContext.count(for: Entry.fetchRequest()))")
  print("photos: \(try taskContext.count(for: Photo.fetchRequest()))")
}

// MARK: The history

section("History")
let transactions = try await controller.changes(after: nil)
for transaction in transactions.prefix(3) {
  let changes = transaction.changes ?? []
  let kinds = Dictionary(grouping: changes, by: { $0.changeType.rawValue }).mapValues(\.count)
  print(
    "\(transaction.author ?? "nobody"): \(kinds.sorted { $0.key < $1.key }.map { "\($0.key)x\($0.value)" })"
  )
}

// MARK: Opening it again

section("Again")
let again = PersistenceController(url: store)
let titles = try again.container.viewContext.fetch(Entry.latest()).map { $0.title ?? "" }
print("entries: \(titles)")
