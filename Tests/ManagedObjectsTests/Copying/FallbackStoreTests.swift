import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import TestSupport
import Testing

private typealias NSExpression = PredicateLanguage.NSExpression

/// What the talk "Using iCloud with Core Data" of 2012 shows: a fallback store, a seed, and
/// duplicates that are found by grouping.
@Suite struct `Fallback stores, seeds, and duplicates` {
  private static func model() -> NSManagedObjectModel {
    func relationship(_ name: String, _ maxCount: Int) -> NSRelationshipDescription {
      let relationship = NSRelationshipDescription()
      relationship.name = name
      relationship.maxCount = maxCount
      relationship.isOptional = true
      return relationship
    }
    let person = ShelfModel.entity(
      "Person",
      [
        ShelfModel.attribute("name", .stringAttributeType),
        ShelfModel.attribute("emailAddress", .stringAttributeType),
        ShelfModel.attribute("recordUUID", .UUIDAttributeType),
        ShelfModel.attribute("createdTimestamp", .dateAttributeType),
      ])
    let note = ShelfModel.entity("Note", [ShelfModel.attribute("title", .stringAttributeType)])
    let (notes, author) = (relationship("notes", 0), relationship("author", 1))
    (notes.destinationEntity, author.destinationEntity) = (note, person)
    (notes.inverseRelationship, author.inverseRelationship) = (author, notes)
    person.properties += [notes]
    note.properties += [author]
    let model = NSManagedObjectModel()
    model.entities = [person, note]
    return model
  }

  private static func addPerson(_ number: Int, to context: NSManagedObjectContext) {
    let person = context.add(
      "Person",
      [
        "name": "Person \(number)", "emailAddress": "\(number)@example.com", "recordUUID": UUID(),
        "createdTimestamp": Date(timeIntervalSinceReferenceDate: Double(number)),
      ])
    context.add("Note", ["title": "of \(number)", "author": person])
  }

  /// The addresses that several people have, as the talk finds them.
  private static func duplicateAddresses(in context: NSManagedObjectContext, having: Bool) throws
    -> [String]
  {
    let count = NSExpressionDescription()
    count.name = "count"
    count.expression = NSExpression(format: "count:(emailAddress)")
    count.expressionResultType = .integer64AttributeType
    let request = NSFetchRequest<NSDictionary>(entityName: "Person")
    let entity = try #require(
      NSEntityDescription.entity(forEntityName: "Person", in: context))
    let address = try #require(entity.attributesByName["emailAddress"])
    request.propertiesToFetch = [address, count]
    request.propertiesToGroupBy = [address]
    request.resultType = .dictionaryResultType
    if having { request.havingPredicate = NSPredicate(format: "count:(emailAddress) > 1") }
    return try context.fetch(request).filter { ($0["count"] as? NSNumber)?.intValue ?? 0 > 1 }
      .compactMap { $0["emailAddress"] as? String }
  }

  /// Keeps one person of each address, with the notes of all.
  private static func removeDuplicates(
    in context: NSManagedObjectContext,
    winner precedes: (NSManagedObject, NSManagedObject) -> Bool
  ) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.includesPendingChanges = false
    request.fetchBatchSize = 500
    request.predicate = NSPredicate(
      format: "emailAddress IN %@", try duplicateAddresses(in: context, having: true))
    request.sortDescriptors = [NSSortDescriptor(key: "emailAddress", ascending: true)]
    var previous: NSManagedObject?
    for (number, person) in try context.fetch(request).enumerated() {
      guard let other = previous, other.text("emailAddress") == person.text("emailAddress") else {
        previous = person
        continue
      }
      let (winner, loser) = precedes(other, person) ? (other, person) : (person, other)
      winner.mutableSetValue(forKey: "notes").union(
        loser.value(forKey: "notes") as? Set<NSManagedObject> ?? [])
      context.delete(loser)
      previous = winner
      if number % 500 == 499 { try context.save() }
    }
    try context.save()
  }

  @Test func `The content of the fallback store moves when the account comes back`() throws {
    try withTemporaryDirectory { folder in
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
      let fallback = folder.appendingPathComponent("fallback.sqlite")
      let account = folder.appendingPathComponent("account.sqlite")
      // No account: new objects go to the fallback store.
      var local = try coordinator.addPersistentStore(type: .sqlite, at: fallback)
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.performAndWait { context.persistentStoreCoordinator = coordinator }
      try context.performAndWait {
        for number in 0..<1200 { Self.addPerson(number, to: context) }
        try context.save()
        context.reset()
      }
      // The account comes back. Its store takes the objects over, in three batches for each entity.
      try coordinator.remove(local)
      let store = try coordinator.addPersistentStore(type: .sqlite, at: account)
      local = try coordinator.addPersistentStore(type: .sqlite, at: fallback)
      let progress = WatchedProgress { _ in }
      let result = try coordinator.moveObjects(from: local, to: store, progress: progress)
      #expect(result.insertedCount == 2400)
      #expect(progress.parts >= 12)
      try coordinator.remove(local)
      try context.performAndWait { () throws in
        #expect(try context.all("Person").count == 1200)
        #expect(
          try context.one("Note", "title == 'of 77'")?.related("author").first?.text("name")
            == "Person 77")
      }
    }
  }

  @Test(arguments: [true, false])
  func `Duplicates of two seeds become one, with the relationships of both`(byUUID: Bool) throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder, model: Self.model())
      try pair.source.context.performAndWait {
        for number in 0..<700 { Self.addPerson(number, to: pair.source.context) }
        try pair.source.context.save()
      }
      // Two devices seed one store.
      try pair.copy()
      try pair.copy()
      let context = pair.destination.newContext()
      try context.performAndWait {
        Self.addPerson(9999, to: context)
        for (number, person) in try context.all("Person").enumerated() where number % 2 == 1 {
          person.setValue(
            Date(timeIntervalSinceReferenceDate: -Double(number)), forKey: "createdTimestamp")
          person.setValue(UUID(), forKey: "recordUUID")
        }
        try context.save()
        func key(_ person: NSManagedObject) -> String {
          let uuid = (person.value(forKey: "recordUUID") as? UUID)?.uuidString ?? ""
          guard !byUUID else { return uuid }
          let date = person.value(forKey: "createdTimestamp") as? Date ?? .distantPast
          return "\(UInt64(date.timeIntervalSinceReferenceDate + 1_000_000)) \(uuid)"
        }
        let duplicates = try Self.duplicateAddresses(in: context, having: false)
        #expect(duplicates.count == 700)
        #expect(Set(duplicates) == Set(try Self.duplicateAddresses(in: context, having: true)))
        let winners = Dictionary(
          grouping: try context.all("Person"), by: { $0.text("emailAddress") ?? "" }
        ).mapValues { $0.map(key).min() }
        try Self.removeDuplicates(in: context) { key($0) < key($1) }
        let people = try context.all("Person")
        #expect(people.count == 701)
        for person in people {
          #expect(key(person) == winners[person.text("emailAddress") ?? ""])
          #expect(person.related("notes").count == (person.text("name") == "Person 9999" ? 1 : 2))
        }
        #expect(try Self.duplicateAddresses(in: context, having: false) == [])
      }
    }
  }
}
