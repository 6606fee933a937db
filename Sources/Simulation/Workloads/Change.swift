import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage

/// A user's change to a device's objects; its random choices are made beforehand.
struct Change: Sendable {
  enum Kind: String, Sendable {
    case addNote, addFolder, addTag, addPerson, addPair, contribute
    case setTitle, setBody, setCount, setFolder, toggleTag, setLargeData, setSmallData, setPair
    case deleteAny, deletePair
    /// Changes to boards, whose cards have an order.
    case addBoard, addCard, moveCard, arrangeCards, markCard, nameCard
    /// Changes for the second version of the model.
    case addProject, setRating, setProject
    /// Changes to lockers, to owned objects, and to animals.
    case addLocker, addMember, giveLocker
    case addAlbum, addPhoto, addComment, addShelf, addVolume, movePhoto, moveVolume, deleteOwner
    case setSecret
    /// Changes to many objects at once.
    case addMany, setMany, deleteMany
    /// Changes to drafts, which become notes, and to notes that become drafts.
    case addDraft, publish, withdraw
    case addHome, addAnimal, setHome, markAnimal, setBreed, countAnimal
    /// Inserts a note into a folder, if there is one.
    case fileNote
  }

  let kind: Kind
  /// The number of the step, unique among changes.
  let number: Int
  let author: String
  let date: Date
  /// The user, if users may change and delete only their own objects; otherwise nil.
  let owner: String?
  /// The number of the store whose objects the user changes; nil for all stores.
  let part: Int?
  /// Random numbers that select among the existing objects.
  let picks: [Int]

  init(
    _ kind: Kind, number: Int, author: String, date: Date, owner: String? = nil,
    part: Int? = nil, _ generator: inout SimulatedGenerator
  ) {
    (self.kind, self.number, self.author, self.date, self.owner, self.part) = (
      kind, number, author, date, owner, part
    )
    var picks: [Int] = []
    for _ in 0..<3 { picks.append(generator.below(1_000)) }
    self.picks = picks
  }

  /// Applies the change; does nothing if the objects that it needs do not exist.
  func apply(to context: NSManagedObjectContext) throws -> [Effect] {
    switch kind {
    case .addNote: return [insert("Note", context)]
    case .addFolder: return isOthers ? [] : [insert("Folder", context)]
    case .addTag: return isOthers ? [] : [insert("Tag", context)]
    case .fileNote:
      return try all("Folder", context).isEmpty
        ? [] : insert("Note", in: "folder", of: "Folder", context)
    case .addBoard: return [insert("Board", context)]
    case .addCard: return try addCard(context)
    case .addProject: return context.knows("Project") ? [insert("Project", context)] : []
    case .addPerson: return try addPerson(context)
    case .addPair: return [insert("Note", context, "a"), insert("Note", context, "b")]
    case .contribute: return try contribute(context)
    case .setTitle: return set("title", text, on: pick(try anything(context), 0))
    case .setBody: return set("body", text, on: pick(try own("Note", context), 0))
    case .setCount: return set("count", number, on: pick(try own("Note", context), 0))
    case .setRating:
      guard context.knows("Project") else { return [] }
      return set("rating", number, on: pick(try all("Note", context), 0))
    case .setProject:
      guard context.knows("Project") else { return [] }
      return refer("project", try all("Project", context), of: pick(try all("Note", context), 0))
    case .setFolder:
      return refer("folder", try all("Folder", context), of: pick(try own("Note", context), 0))
    case .toggleTag:
      return toggle(pick(try all("Tag", context), 1), of: pick(try all("Note", context), 0))
    case .markCard:
      return toggle(try all("Tag", context).first, of: pick(try fewCards(context).prefix(2), 0))
    case .nameCard: return set("title", text, on: pick(try fewCards(context), 0))
    case .setLargeData: return set("data", data(800_000), on: pick(try all("Note", context), 0))
    case .setSmallData: return set("data", data(100), on: pick(try all("Note", context), 0))
    case .setPair: return try pair(context).flatMap { set("title", text, on: $0) }
    case .deleteAny: return delete([pick(try anything(context), 0)], context)
    case .deletePair: return delete(try pair(context), context)
    case .moveCard: return try moveCard(context)
    case .arrangeCards: return try arrangeCards(context)
    case .setSecret:
      return set("body", "\(Self.secret) \(text)", on: pick(try all("Note", context), 0))
    case .addMany: return addMany(context)
    case .setMany: return try many(context).flatMap { set("title", text, on: $0) }
    case .deleteMany: return delete(try many(context), context)
    case .addLocker: return [insert("Locker", context)]
    case .addMember: return [insert("Member", context)]
    case .giveLocker: return try giveLocker(context)
    case .addAlbum: return [insert("Album", context)]
    case .addPhoto: return try insert("Photo", in: "album", of: "Album", context)
    case .addComment: return try insert("Comment", in: "photo", of: "Photo", context)
    case .addShelf: return [insert("Shelf", context)]
    case .addVolume: return try insert("Volume", in: "shelf", of: "Shelf", context)
    case .movePhoto:
      return refer("album", try own("Album", context), of: pick(try own("Photo", context), 0))
    case .moveVolume:
      return refer("shelf", try all("Shelf", context), of: pick(try all("Volume", context), 0))
    case .deleteOwner:
      return delete(
        [pick(try ["Album", "Shelf"].filter(context.knows).flatMap { try own($0, context) }, 0)],
        context)
    case .addDraft: return [insert("Draft", context)]
    case .publish: return try move("Draft", to: "Note", context)
    case .withdraw: return try move("Note", to: "Draft", context)
    case .addHome: return [insert("Home", context)]
    case .addAnimal: return [insert(["Cat", "Dog", "Puppy"][picks[0] % 3], context)]
    case .setHome:
      return refer("home", try all("Home", context), of: pick(try all("Animal", context), 0))
    case .markAnimal:
      return toggle(pick(try all("Tag", context), 1), of: pick(try all("Animal", context), 0))
    case .setBreed: return set("breed", text, on: pick(try all("Dog", context), 0))
    case .countAnimal:
      return set("count", number, on: pick(try all("Cat", context) + all("Puppy", context), 0))
    }
  }

  /// The prefix of every text that must be unreadable on the server.
  static let secret = "secret"

  private var text: String { "\(number) by \(author)" }

  private func data(_ count: Int) -> Data { Data(repeating: UInt8(number & 127), count: count) }

  // MARK: Adding

  func insert(_ entity: String, _ context: NSManagedObjectContext, _ suffix: String = "") -> Effect
  {
    .inserted(key: make(entity, context, suffix).key)
  }

  func make(_ entity: String, _ context: NSManagedObjectContext, _ suffix: String = "")
    -> NSManagedObject
  {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    object.setValue(Ownership.key("\(entity)-\(number)\(suffix)", of: owner), forKey: "key")
    if let store = context.store(part) { context.assign(object, to: store) }
    return object
  }

  /// Whether the user changes objects that others share.
  ///
  /// In that store, a new object must belong to an existing one.
  private var isOthers: Bool { part == 1 }

  /// Inserts a person, whose address does not exist on this device but may exist elsewhere, and a
  /// letter to them.
  private func addPerson(_ context: NSManagedObjectContext) throws -> [Effect] {
    let email = "person\(picks[0] % 6)@example.com"
    let addresses = try all("Person", context).map { $0.value(forKey: "email") as? String }
    guard !addresses.contains(email) else { return [] }
    let (person, letter) = (make("Person", context), make("Letter", context))
    person.setValue(email, forKey: "email")
    letter.setValue(person, forKey: "person")
    return [
      .inserted(key: person.key),
      .wrote(key: person.key, property: "email", text: email, over: nil),
      .inserted(key: letter.key),
      .wrote(key: letter.key, property: "person", text: person.key, over: nil),
    ]
  }

  /// Inserts a contribution that follows an existing one.
  private func contribute(_ context: NSManagedObjectContext) throws -> [Effect] {
    let parent = pick(try all("Contribution", context), 0)
    let object = make("Contribution", context)
    let key = object.key
    object.setValue(author, forKey: "author")
    object.setValue(date, forKey: "date")
    object.setValue(parent, forKey: "parent")
    return [
      .inserted(key: key), .wrote(key: key, property: "parent", text: parent?.key ?? "", over: nil),
      .wrote(key: key, property: "author", text: author, over: nil),
      .wrote(key: key, property: "date", text: ValueText.of(date), over: nil),
    ]
  }

  // MARK: Changing

  private func set(_ property: String, _ value: any Sendable, on object: NSManagedObject?)
    -> [Effect]
  {
    guard let object else { return [] }
    let former = ValueText.of(object.value(forKey: property))
    object.setValue(value, forKey: property)
    return [.wrote(key: object.key, property: property, text: ValueText.of(value), over: former)]
  }

  /// Makes an object refer to one of the candidates.
  func refer(_ property: String, _ targets: [NSManagedObject], of object: NSManagedObject?)
    -> [Effect]
  {
    guard let object, let target = pick(targets, 1) else { return [] }
    return relate(property, to: target, of: object)
  }

  func relate(_ property: String, to target: NSManagedObject?, of object: NSManagedObject)
    -> [Effect]
  {
    let former = (object.value(forKey: property) as? NSManagedObject)?.key ?? ""
    let text = target?.key ?? ""
    guard text != former else { return [] }
    object.setValue(target, forKey: property)
    return [.wrote(key: object.key, property: property, text: text, over: former)]
  }

  private func toggle(_ tag: NSManagedObject?, of object: NSManagedObject?) -> [Effect] {
    guard let tag, let object else { return [] }
    let tags = object.mutableSetValue(forKey: "tags")
    let isThere = tags.contains(tag)
    if isThere { tags.remove(tag) } else { tags.add(tag) }
    let (text, former) = isThere ? (Place.gone, Place.there) : (Place.there, Place.gone)
    return [
      .wrote(Place(key: object.key, property: "tags", member: tag.key), text: text, over: former)
    ]
  }

  // MARK: Ordering

  /// Appends a card to its board.
  private func addCard(_ context: NSManagedObjectContext) throws -> [Effect] {
    let board = pick(try all("Board", context), 0)
    let (card, former) = (make("Card", context), board?.cardKeys ?? [])
    card.setValue(board, forKey: "board")
    guard let board else { return [.inserted(key: card.key)] }
    return [
      .inserted(key: card.key),
      .wrote(key: card.key, property: "board", text: board.key, over: nil),
      board.arranged(over: former),
    ]
  }

  /// The few cards that most changes select, the same for all devices.
  private func fewCards(_ context: NSManagedObjectContext) throws -> ArraySlice<NSManagedObject> {
    try all("Card", context).prefix(3)
  }

  /// Moves a card to the end of another board, or off any board.
  private func moveCard(_ context: NSManagedObjectContext) throws -> [Effect] {
    guard let card = pick(try fewCards(context), 0) else { return [] }
    let boards: [NSManagedObject?] = try all("Board", context) + [nil]
    let (left, entered) = (
      card.value(forKey: "board") as? NSManagedObject, boards[picks[1] % boards.count]
    )
    let changed = [left, entered].compactMap(\.self)
    let formers = changed.map(\.cardKeys)
    let effects = relate("board", to: entered, of: card)
    guard !effects.isEmpty else { return [] }
    return effects + zip(changed, formers).map { $0.arranged(over: $1) }
  }

  /// Moves a card within its board.
  private func arrangeCards(_ context: NSManagedObjectContext) throws -> [Effect] {
    guard let board = pick(try all("Board", context), 0) else { return [] }
    let former = board.cardKeys
    guard former.count > 1 else { return [] }
    let cards = board.mutableOrderedSetValue(forKey: "cards")
    cards.moveObjects(at: [picks[1] % former.count], to: picks[2] % former.count)
    return board.cardKeys == former ? [] : [board.arranged(over: former)]
  }

  // MARK: Deleting

  func delete(_ objects: [NSManagedObject?], _ context: NSManagedObjectContext) -> [Effect] {
    objects.compactMap(\.self).filter { !$0.isKept && affectsOnlyOwnObjects($0) }.flatMap {
      object in
      if object.hasBelongings { return deleteAll(object.withBelongings, context) }
      let board =
        object.entity.name == "Card" ? object.value(forKey: "board") as? NSManagedObject : nil
      let (cards, left) = (board?.cardKeys ?? [], clearedReferences(to: object))
      let key = object.key
      context.delete(object)
      guard let board else { return [.deleted(key: key)] + left }
      let others = cards.filter { $0 != key }
      return [.deleted(key: key), .arranged(board.cardPlace, members: others, over: cards)]
    }
  }

  /// Deletes the first object; Core Data's cascade deletes the others.
  private func deleteAll(_ objects: [NSManagedObject], _ context: NSManagedObjectContext)
    -> [Effect]
  {
    let effects = objects.flatMap { [.deleted(key: $0.key)] + clearedReferences(to: $0) }
    objects.first.map(context.delete)
    return effects
  }

  /// The effects on references to an object when it is deleted.
  private func clearedReferences(to object: NSManagedObject) -> [Effect] {
    object.entity.relationshipsByName.sorted { $0.key < $1.key }.flatMap {
      name, relationship -> [Effect] in
      guard
        relationship.isToMany
          || DeviceContents.references.contains(relationship.inverseRelationship?.name ?? ""),
        let inverse = relationship.inverseRelationship, !inverse.isToMany
      else { return [] }
      return object.members(of: name).map(\.key).sorted().map {
        .wrote(key: $0, property: inverse.name, text: "", over: object.key)
      }
    }
  }

  // MARK: Choosing

  /// All objects of an entity, in an order that is the same in each run.
  func all(_ entity: String, _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: "key", ascending: true)]
    if let store = context.store(part) { request.affectedStores = [store] }
    return try context.fetch(request)
  }

  /// All objects that the user may change, except letters, which never change.
  private func anything(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    try SimulatedModel.entities.filter { $0 != "Letter" && context.knows($0) }.flatMap { name in
      try own(name, context).filter { $0.entity.name == name }
    }
  }

  /// Two notes that were inserted in one save.
  private func pair(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    let notes = try pairs(context)
    guard let one = pick(notes, 0) else { return [] }
    return notes.filter { $0.key.dropLast() == one.key.dropLast() }
  }

  func pick(_ objects: some RandomAccessCollection<NSManagedObject>, _ number: Int)
    -> NSManagedObject?
  {
    objects.isEmpty
      ? nil : objects[objects.index(objects.startIndex, offsetBy: picks[number] % objects.count)]
  }
}

extension NSManagedObject {
  /// The cards of a board, in order.
  fileprivate var cardKeys: [String] { members(of: "cards").map(\.key) }

  fileprivate var cardPlace: Place { Place(key: key, property: "cards") }

  fileprivate func arranged(over former: [String]) -> Effect {
    .arranged(cardPlace, members: cardKeys, over: former)
  }
}

extension NSManagedObjectContext {
  /// The store of a number; nil for none.
  fileprivate func store(_ number: Int?) -> NSPersistentStore? {
    number.flatMap { persistentStoreCoordinator?.persistentStores[$0] }
  }

  /// Whether the device's model version has an entity.
  func knows(_ entity: String) -> Bool {
    persistentStoreCoordinator?.managedObjectModel.entitiesByName[entity] != nil
  }
}
