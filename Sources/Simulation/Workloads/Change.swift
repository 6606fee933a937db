import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage

/// Something that somebody does to the objects of a device, with all of its chance decided before.
struct Change: Sendable {
  enum Kind: String, Sendable {
    case addNote, addFolder, addTag, addPerson, addPair, contribute
    case setTitle, setBody, setCount, setFolder, toggleTag, setLargeData, setSmallData, setPair
    case deleteAny, deletePair
    /// Of the second version of the model.
    case addProject, setRating, setProject
  }

  let kind: Kind
  /// The number of the step, which no other change has.
  let number: Int
  let author: String
  let date: Date
  /// Which objects are meant, of those that are there.
  let picks: [Int]

  init(_ kind: Kind, number: Int, author: String, date: Date, _ generator: inout SimulatedGenerator) {
    (self.kind, self.number, self.author, self.date) = (kind, number, author, date)
    var picks: [Int] = []
    for _ in 0..<3 { picks.append(generator.below(1_000)) }
    self.picks = picks
  }

  /// Does it; nothing where what it needs is not there.
  func apply(to context: NSManagedObjectContext) throws -> [Effect] {
    switch kind {
    case .addNote: return [insert("Note", context)]
    case .addFolder: return [insert("Folder", context)]
    case .addTag: return [insert("Tag", context)]
    case .addProject: return context.knows("Project") ? [insert("Project", context)] : []
    case .addPerson: return try addPerson(context)
    case .addPair: return [insert("Note", context, "a"), insert("Note", context, "b")]
    case .contribute: return try contribute(context)
    case .setTitle: return set("title", text, on: pick(try anything(context), 0))
    case .setBody: return set("body", text, on: pick(try all("Note", context), 0))
    case .setCount: return set("count", number, on: pick(try all("Note", context), 0))
    case .setRating:
      guard context.knows("Project") else { return [] }
      return set("rating", number, on: pick(try all("Note", context), 0))
    case .setProject:
      guard context.knows("Project") else { return [] }
      pick(try all("Note", context), 0)?.setValue(pick(try all("Project", context), 1), forKey: "project")
      return []
    case .setFolder: return try setFolder(context)
    case .toggleTag: return try toggleTag(context)
    case .setLargeData: return set("data", data(800_000), on: pick(try all("Note", context), 0))
    case .setSmallData: return set("data", data(100), on: pick(try all("Note", context), 0))
    case .setPair: return try pair(context).flatMap { set("title", text, on: $0) }
    case .deleteAny: return delete([pick(try anything(context), 0)], context)
    case .deletePair: return delete(try pair(context), context)
    }
  }

  private var text: String { "\(number) by \(author)" }

  private func data(_ count: Int) -> Data { Data(repeating: UInt8(number & 127), count: count) }

  // MARK: Adding

  private func insert(_ entity: String, _ context: NSManagedObjectContext, _ suffix: String = "") -> Effect {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    let key = "\(entity)-\(number)\(suffix)"
    object.setValue(key, forKey: "key")
    return .inserted(key: key)
  }

  /// Somebody whose address is not here yet; elsewhere it may be.
  private func addPerson(_ context: NSManagedObjectContext) throws -> [Effect] {
    let email = "person\(picks[0] % 6)@example.com"
    let addresses = try all("Person", context).map { $0.value(forKey: "email") as? String }
    guard !addresses.contains(email) else { return [] }
    let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
    person.setValue("Person-\(number)", forKey: "key")
    person.setValue(email, forKey: "email")
    return [.inserted(key: person.key)]
  }

  /// Something that follows what is here.
  private func contribute(_ context: NSManagedObjectContext) throws -> [Effect] {
    let parent = pick(try all("Contribution", context), 0)
    let object = NSEntityDescription.insertNewObject(forEntityName: "Contribution", into: context)
    let key = "Contribution-\(number)"
    object.setValue(key, forKey: "key")
    object.setValue(author, forKey: "author")
    object.setValue(date, forKey: "date")
    object.setValue(parent, forKey: "parent")
    return [.inserted(key: key), .wrote(key: key, property: "parent", text: parent?.key ?? "", over: nil)]
  }

  // MARK: Changing

  private func set(_ property: String, _ value: any Sendable, on object: NSManagedObject?) -> [Effect] {
    guard let object else { return [] }
    let former = ValueText.of(object.value(forKey: property))
    object.setValue(value, forKey: property)
    return [.wrote(key: object.key, property: property, text: ValueText.of(value), over: former)]
  }

  private func setFolder(_ context: NSManagedObjectContext) throws -> [Effect] {
    pick(try all("Note", context), 0)?.setValue(pick(try all("Folder", context), 1), forKey: "folder")
    return []
  }

  private func toggleTag(_ context: NSManagedObjectContext) throws -> [Effect] {
    guard let note = pick(try all("Note", context), 0), let tag = pick(try all("Tag", context), 1) else { return [] }
    let tags = note.mutableSetValue(forKey: "tags")
    if tags.contains(tag) { tags.remove(tag) } else { tags.add(tag) }
    return []
  }

  // MARK: Deleting

  private func delete(_ objects: [NSManagedObject?], _ context: NSManagedObjectContext) -> [Effect] {
    objects.compactMap(\.self).map { object in
      let key = object.key
      context.delete(object)
      return .deleted(key: key)
    }
  }

  // MARK: Choosing

  /// In an order that is the same in each run.
  private func all(_ entity: String, _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: "key", ascending: true)]
    return try context.fetch(request)
  }

  private func anything(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    try SimulatedModel.Version.second.entities.filter(context.knows).flatMap { try all($0, context) }
  }

  /// Two notes that were added in one save.
  private func pair(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    let notes = try all("Note", context)
    guard let one = pick(notes, 0) else { return [] }
    return notes.filter { $0.key.dropLast() == one.key.dropLast() }
  }

  private func pick(_ objects: [NSManagedObject], _ number: Int) -> NSManagedObject? {
    objects.isEmpty ? nil : objects[picks[number] % objects.count]
  }
}

extension NSManagedObjectContext {
  /// Whether the version of the model that the device has knows an entity.
  func knows(_ entity: String) -> Bool {
    persistentStoreCoordinator?.managedObjectModel.entitiesByName[entity] != nil
  }
}
