import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import SQLiteDriver
import TestSupport
import Testing

/// Files with changed bytes.
///
/// Opening, reading and writing work or throw, and never stop the program.
@Suite struct `A damaged file` {
  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
    return attribute
  }

  private static func model() -> NSManagedObjectModel {
    let (note, folder) = (NSEntityDescription(), NSEntityDescription())
    (note.name, folder.name) = ("Note", "Folder")
    let types: [NSAttributeType] = [
      .stringAttributeType, .integer16AttributeType, .integer64AttributeType, .booleanAttributeType,
      .dateAttributeType,
      .doubleAttributeType, .floatAttributeType, .decimalAttributeType, .UUIDAttributeType,
      .URIAttributeType,
      .binaryDataAttributeType,
    ]
    let external = attribute("external", .binaryDataAttributeType)
    external.allowsExternalBinaryDataStorage = true
    let owner = NSRelationshipDescription()
    (owner.name, owner.destinationEntity, owner.maxCount) = ("folder", folder, 1)
    let members = NSRelationshipDescription()
    (members.name, members.destinationEntity, members.isOrdered) = ("notes", note, true)
    (owner.inverseRelationship, members.inverseRelationship) = (members, owner)
    let (tagged, tags) = (NSRelationshipDescription(), NSRelationshipDescription())
    (tagged.name, tagged.destinationEntity, tags.name, tags.destinationEntity) = (
      "tagged", note, "tags", note
    )
    (tagged.inverseRelationship, tags.inverseRelationship) = (tags, tagged)
    note.properties =
      types.map { attribute("a\($0.rawValue)", $0) } + [external, owner, tagged, tags]
    folder.properties = [members]
    let special = NSEntityDescription()
    special.name = "Special"
    note.subentities = [special]
    let model = NSManagedObjectModel()
    model.entities = [note, folder, special]
    return model
  }

  private func context(_ url: URL) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSPersistentHistoryTrackingKey: true])
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// A valid store in one file.
  private func fill(_ url: URL) throws {
    let context = try context(url)
    try context.performAndWait { () throws in
      let folder = NSEntityDescription.insertNewObject(forEntityName: "Folder", into: context)
      var former: NSManagedObject?
      for number in 0..<30 {
        let name = number.isMultiple(of: 3) ? "Special" : "Note"
        let note = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
        let values: [String: Any] = [
          "a700": "text \(number)", "a100": number, "a300": number, "a800": true, "a900": Date(),
          "a500": 1.5,
          "a600": Float(2.5), "a400": NSDecimalNumber(string: "3.25"), "a1100": UUID(),
          "a1000": Data([1, 2, 3]),
          "external": Data([1, 2, 3]), "folder": folder,
        ]
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
          note.setValue(value, forKey: key)
        }
        if let former { note.setValue(NSSet(object: former), forKey: "tags") }
        former = note
      }
      try context.save()
    }
    for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
      try context.persistentStoreCoordinator?.remove(store)
    }
    let connection = try Connection(.file(url.path), options: .init(mode: .readWrite))
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try connection.close()
  }

  /// Reads, changes and saves everything that is readable, and fetches the history.
  ///
  /// - Parameter members: Whether relationships are read too. An accessor cannot throw, so a
  ///   relationship with damaged rows stops the program, as in Core Data.
  private func use(_ url: URL, members: Bool) throws {
    let context = try context(url)
    try context.performAndWait { () throws in
      var objects: [NSManagedObject] = []
      for name in ["Note", "Folder", "Special"] {
        objects += (try? context.fetch(NSFetchRequest<NSManagedObject>(entityName: name))) ?? []
      }
      for object in objects where !object.isDeleted {
        guard (try? context.existingObject(with: object.objectID)) != nil else { continue }
        for property in object.entity.properties where members || property is NSAttributeDescription
        {
          _ = object.value(forKey: property.name)
        }
        if object.entity.name != "Folder" { object.setValue("changed", forKey: "a700") }
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
      request.predicate = NSPredicate(
        format: "a700 CONTAINS[cd] 'a' AND a100 > 3 AND folder != nil")
      _ = try? context.fetch(request)
      _ = try? context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast))
      try context.save()
    }
  }

  @Test func `A damaged file is read and written as far as possible`() throws {
    var random = SeededGenerator.forTest()
    // A program that stops here can no longer print the seed.
    print("damaged files with \(random)")
    var outcomes = (worked: 0, failed: 0)
    try withTemporaryDirectory { folder in
      let sound = folder.appendingPathComponent("sound.sqlite")
      try fill(sound)
      let bytes = Array(try Data(contentsOf: sound))
      // Most bytes of a small store are unused.
      let used = bytes.indices.filter { bytes[$0] != 0 }
      for round in 0..<50 {
        let url = folder.appendingPathComponent("\(round).sqlite")
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          damaged[used[Int.random(in: 100..<used.count, using: &random)]] = UInt8.random(
            in: .min ... .max, using: &random)
        }
        try Data(damaged).write(to: url)
        do {
          try use(url, members: false)
          outcomes.worked += 1
        } catch {
          #expect(error is CocoaError, "\(random) round \(round): \(error)")
          outcomes.failed += 1
        }
      }
    }
    #expect(outcomes.worked > 0 && outcomes.failed > 0)
  }

  static let wrongValues = [
    "NULL", "-1", "7e300", "9223372036854775807", "'text'", "x''", "x'02'", "x'00FF'", "-0.0",
  ]

  /// Valid databases with values that no Core Data store has.
  @Test(arguments: wrongValues)
  func `A value of a wrong kind does not stop the program`(value: String) throws {
    try withTemporaryDirectory { folder in
      let sound = folder.appendingPathComponent("sound.sqlite")
      try fill(sound)
      let columns = try Connection(.file(sound.path), options: .readOnly)
        .rows("SELECT name FROM pragma_table_info('ZNOTE') WHERE name <> 'Z_PK'")
      let bytes = try Data(contentsOf: sound)
      for case .text(let column)? in columns.map(\.first) {
        let url = folder.appendingPathComponent("\(column).sqlite")
        try bytes.write(to: url)
        let connection = try Connection(.file(url.path), options: .init(mode: .readWrite))
        try connection.execute("UPDATE ZNOTE SET \(column) = \(value) WHERE Z_PK = 3")
        try connection.close()
        try? use(url, members: true)
      }
    }
  }
}
