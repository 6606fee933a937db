import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// Stores of notes whose counts become words by a mapping model that cannot be inferred.
enum Notes {
  static func model(_ version: Int) -> NSManagedObjectModel {
    let note = MigrationModels.entity(
      "Note",
      [
        version == 1
          ? MigrationModels.attribute("count", .integer16AttributeType)
          : MigrationModels.attribute("count", .stringAttributeType),
        MigrationModels.attribute("photo", .binaryDataAttributeType) {
          $0.allowsExternalBinaryDataStorage = true
        },
      ])
    MigrationModels.relate(note, "next", 1, note, "previous", 1)
    return MigrationModels.model([note])
  }

  static func mapping() -> NSMappingModel {
    let note = NSEntityMapping()
    note.name = "NoteToNote"
    note.sourceEntityName = "Note"
    note.sourceEntityVersionHash = model(1).entitiesByName["Note"]?.versionHash
    note.destinationEntityName = "Note"
    note.destinationEntityVersionHash = model(2).entitiesByName["Note"]?.versionHash
    note.mappingType = .transformEntityMappingType
    note.sourceExpression = MappingExpressions.objects(ofEntity: "Note")
    note.attributeMappings = [
      property("count", NSExpression(format: #"TERNARY($source.count > 1, "many", "few")"#)),
      property("photo", MappingExpressions.sourceValue("photo")),
    ]
    note.relationshipMappings = [
      property("next", MappingExpressions.destinations(ofKeyPath: "next", inMapping: "NoteToNote"))
    ]
    return NSMappingModel(entityMappings: [note])
  }

  private static func property(_ name: String, _ value: PredicateLanguage.NSExpression)
    -> NSPropertyMapping
  {
    let property = NSPropertyMapping()
    (property.name, property.valueExpression) = (name, value)
    return property
  }

  static func file(in folder: URL) -> URL { folder.appendingPathComponent("Notes.sqlite") }

  static func photo(_ number: Int) -> Data {
    Data(repeating: UInt8(number + 1), count: SQLiteStore.Limits.externalDataBytes)
  }

  /// Makes a store of the first version with three notes, each with a photo in a file.
  static func make(in folder: URL, options: [AnyHashable: Any]? = nil) throws {
    let office = try Office(model: model(1), at: file(in: folder), options: options)
    var previous: NSManagedObject?
    for number in 0..<3 {
      let note = office.context.insert("Note")
      note.setValue(number, forKey: "count")
      note.setValue(photo(number), forKey: "photo")
      note.setValue(previous, forKey: "previous")
      previous = note
    }
    try office.context.save()
  }

  /// Opens the store with the second version; mapping models come from the folder.
  static func open(
    in folder: URL, infers: Bool = false, options: [AnyHashable: Any] = [:],
    _ configure: (inout StackDependencies) -> Void = { _ in }
  ) throws -> Office {
    var dependencies = StackDependencies.current
    dependencies.mappingBundles = Bundle(url: folder).map { [$0] } ?? []
    configure(&dependencies)
    return try StackDependencies.$current.withValue(dependencies) {
      try Office(
        model: model(2), at: file(in: folder),
        options: options.merging([
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: infers,
        ]) { first, _ in first })
    }
  }

  static func writeMapping(in folder: URL) throws {
    try CompiledMapping.write(mapping()).write(to: folder.appendingPathComponent("a.cdm"))
  }

  /// Expects the notes of the second version, with their photos and order.
  static func expectMigrated(_ office: Office) throws {
    let notes = try office.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
    let first = try #require(notes.first { $0.value(forKey: "previous") == nil })
    var chain: [NSManagedObject] = [first]
    while let next = chain.last?.value(forKey: "next") as? NSManagedObject { chain.append(next) }
    #expect(chain.map { $0.value(forKey: "count") as? String } == ["few", "few", "many"])
    #expect(try chain.map { try $0.binaryData(forKey: "photo") } == (0..<3).map(photo))
  }

  /// Expects the notes of the first version.
  static func expectFormer(in folder: URL) throws {
    let office = try Office(model: model(1), at: file(in: folder))
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "count", ascending: true)]
    let notes = try office.context.fetch(request)
    #expect(notes.map { $0.value(forKey: "count") as? Int } == [0, 1, 2])
    #expect(try notes.map { try $0.binaryData(forKey: "photo") } == (0..<3).map(photo))
  }

  static func externalFiles(in folder: URL) -> [String] {
    let path = folder.appendingPathComponent(".Notes_SUPPORT/_EXTERNAL_DATA").path
    return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }
}

@Suite struct `Adding a store with a mapping model` {
  private static func remains(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.contains("migrationdestination")
    }
  }

  @Test(arguments: [false, true])
  func `A store migrates with the mapping model of a bundle`(infers: Bool) throws {
    try withTemporaryDirectory { folder in
      try Notes.make(in: folder)
      try Notes.writeMapping(in: folder)
      try Notes.expectMigrated(Notes.open(in: folder, infers: infers))
      #expect(Notes.externalFiles(in: folder).count == 3)
      #expect(try Self.remains(in: folder) == [])
      // The next opening finds nothing to migrate.
      try Notes.expectMigrated(Office(model: Notes.model(2), at: Notes.file(in: folder)))
    }
  }

  @Test(arguments: ["delete", "wal", "truncate"])
  func `A store in any journal mode migrates`(mode: String) throws {
    try withTemporaryDirectory { folder in
      let options: [AnyHashable: Any] = [NSSQLitePragmasOption: ["journal_mode": mode]]
      try Notes.make(in: folder, options: options)
      try Notes.writeMapping(in: folder)
      let office = try Notes.open(in: folder, options: options)
      try Notes.expectMigrated(office)
      office.context.insert("Note").setValue("new", forKey: "count")
      try office.context.save()
    }
  }

  @Test func `A store migrates while another coordinator reads it`() throws {
    try withTemporaryDirectory { folder in
      try Notes.make(in: folder)
      try Notes.writeMapping(in: folder)
      let reader = try Office(model: Notes.model(1), at: Notes.file(in: folder))
      let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
      #expect(try reader.context.fetch(request).count == 3)
      try Notes.expectMigrated(Notes.open(in: folder))
    }
  }

  @Test func `A store without a mapping model is refused and unchanged`() throws {
    try withTemporaryDirectory { folder in
      try Notes.make(in: folder)
      let before = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite, at: Notes.file(in: folder))
      for (infers, code) in [
        (false, NSMigrationMissingMappingModelError), (true, NSInferredMappingModelError),
      ] {
        let error = #expect(throws: NSError.self) { _ = try Notes.open(in: folder, infers: infers) }
        #expect(error?.code == code)
      }
      let after = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite, at: Notes.file(in: folder))
      #expect(before as NSDictionary == after as NSDictionary)
      try Notes.expectFormer(in: folder)
    }
  }

  @Test func `Both options infer the mapping if no mapping model fits`() throws {
    try withTemporaryDirectory { folder in
      func model(_ names: String...) -> NSManagedObjectModel {
        MigrationModels.model([
          MigrationModels.entity("Note", names.map { MigrationModels.attribute($0) })
        ])
      }
      let office = try Office(model: model("text"), at: Notes.file(in: folder))
      office.context.insert("Note").setValue("a", forKey: "text")
      try office.context.save()
      try Notes.writeMapping(in: folder)
      let migrated = try Office(
        model: model("text", "title"), at: Notes.file(in: folder),
        options: [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true,
        ])
      #expect(
        try migrated.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
          .map { $0.value(forKey: "text") as? String } == ["a"])
    }
  }

  @Test func `A mirrored store is refused with the reason`() throws {
    try withTemporaryDirectory { folder in
      try Notes.make(in: folder)
      try Notes.writeMapping(in: folder)
      let connection = try Connection(.file(Notes.file(in: folder).path))
      try connection.execute(
        """
        CREATE TABLE PHM_NAME (kind INTEGER, owner INTEGER, number INTEGER, name TEXT);
        INSERT INTO PHM_NAME VALUES (0, 0, 1, 'Note')
        """
      )
      try connection.close()
      let error = #expect(throws: NSError.self) { _ = try Notes.open(in: folder) }
      #expect(error?.code == NSMigrationError)
      #expect(error?.localizedDescription.contains("is mirrored with CloudKit") == true)
      try Notes.expectFormer(in: folder)
      let manager = NSMigrationManager(
        sourceModel: Notes.model(1), destinationModel: Notes.model(2))
      let manual = #expect(throws: NSError.self) {
        try manager.migrateStore(
          from: Notes.file(in: folder), type: .sqlite, mapping: Notes.mapping(),
          to: folder.appendingPathComponent("b.sqlite"), type: .sqlite)
      }
      #expect(manual?.code == NSMigrationError)
    }
  }

  @Test func `Tables of other programs survive, and the history begins again`() throws {
    try withTemporaryDirectory { folder in
      let history = [NSPersistentHistoryTrackingKey: true]
      try Notes.make(in: folder, options: history)
      try Notes.writeMapping(in: folder)
      let connection = try Connection(.file(Notes.file(in: folder).path))
      try connection.execute("CREATE TABLE other (x); INSERT INTO other VALUES (7)")
      try connection.execute("CREATE TABLE zones (x); INSERT INTO zones VALUES (8)")
      try connection.execute(
        "CREATE VIRTUAL TABLE words USING fts5(x); INSERT INTO words VALUES ('nine')")
      try connection.close()
      let office = try Notes.open(in: folder, options: history)
      try Notes.expectMigrated(office)
      let again = try Connection(.file(Notes.file(in: folder).path), options: .readOnly)
      #expect(try again.value("SELECT x FROM other") == 7)
      #expect(try again.value("SELECT x FROM zones") == 8)
      #expect(try again.value("SELECT x FROM words WHERE words MATCH 'nine'") == "nine")
      #expect(try again.value("SELECT count(*) FROM ATRANSACTION") == 1)
      #expect(try again.issues(.full) == [])
    }
  }

  @Test func `The error of a policy reaches the program and leaves the store unchanged`() throws {
    try withTemporaryDirectory { folder in
      try Notes.make(in: folder)
      let mapping = Notes.mapping()
      mapping.entityMappings[0].entityMigrationPolicyClassName = "App.Nowhere"
      try CompiledMapping.write(mapping).write(to: folder.appendingPathComponent("a.cdm"))
      let error = #expect(throws: NSError.self) { _ = try Notes.open(in: folder) }
      #expect(error?.code == NSEntityMigrationPolicyError)
      #expect(try Self.remains(in: folder) == [])
      try Notes.expectFormer(in: folder)
    }
  }

  @Test func `A photo whose file is missing does not stop the migration`() throws {
    try withTemporaryDirectory { folder in
      try Notes.make(in: folder)
      try Notes.writeMapping(in: folder)
      let lost = try #require(Notes.externalFiles(in: folder).first)
      try FileManager.default.removeItem(
        at: folder.appendingPathComponent(".Notes_SUPPORT/_EXTERNAL_DATA/\(lost)"))
      let notes = try Notes.open(in: folder).context.fetch(
        NSFetchRequest<NSManagedObject>(entityName: "Note"))
      #expect(notes.count == 3)
      #expect(notes.filter { $0.value(forKey: "photo") == nil }.count == 1)
    }
  }

  @Test func `A full-text index is made for the migrated rows`() throws {
    func model(_ type: NSAttributeType) -> NSManagedObjectModel {
      MigrationModels.model([
        MigrationModels.entity(
          "Note",
          [
            MigrationModels.attribute("text") { $0.isIndexedBySpotlight = true },
            MigrationModels.attribute("rank", type),
          ])
      ])
    }
    try withTemporaryDirectory { folder in
      let (first, second) = (model(.integer16AttributeType), model(.stringAttributeType))
      let file = Notes.file(in: folder)
      let description = NSPersistentStoreDescription(url: file)
      description.maintainsFullTextIndex = true
      let former = try Office(model: first, at: file, options: description.options)
      for (rank, text) in ["red pie", "blue sky"].enumerated() {
        let note = former.context.insert("Note")
        note.setValue(text, forKey: "text")
        note.setValue(rank, forKey: "rank")
      }
      try former.context.save()
      try former.coordinator.remove(former.coordinator.persistentStores[0])
      let note = NSEntityMapping()
      note.name = "NoteToNote"
      (note.sourceEntityName, note.destinationEntityName) = ("Note", "Note")
      note.sourceEntityVersionHash = first.entitiesByName["Note"]?.versionHash
      note.destinationEntityVersionHash = second.entitiesByName["Note"]?.versionHash
      note.mappingType = .transformEntityMappingType
      note.sourceExpression = MappingExpressions.objects(ofEntity: "Note")
      note.attributeMappings = [
        ("text", MappingExpressions.sourceValue("text")),
        ("rank", NSExpression(format: #""r""#)),
      ].map { name, value in
        let property = NSPropertyMapping()
        (property.name, property.valueExpression) = (name, value)
        return property
      }
      try CompiledMapping.write(NSMappingModel(entityMappings: [note]))
        .write(to: folder.appendingPathComponent("a.cdm"))
      var dependencies = StackDependencies.current
      dependencies.mappingBundles = Bundle(url: folder).map { [$0] } ?? []
      let office = try StackDependencies.$current.withValue(dependencies) {
        try Office(
          model: second, at: file, options: [NSMigratePersistentStoresAutomaticallyOption: true])
      }
      let added = office.context.insert("Note")
      added.setValue("red car", forKey: "text")
      try office.context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
      request.predicate = .fullText("red", in: "text")
      #expect(
        Set(try office.context.fetch(request).map { $0.value(forKey: "text") as? String })
          == ["red pie", "red car"])
      let connection = try Connection(.file(file.path), options: .readOnly)
      #expect(
        try connection.value("SELECT count(*) FROM PHF_ZNOTE WHERE PHF_ZNOTE MATCH 'red'") == 2)
      #expect(try connection.issues(.full) == [])
      try connection.close()
    }
  }

  // MARK: Failing and killed at every step

  @Test func `A file error at any step leaves the old or the new store with every value`() throws {
    let count = try Self.fileSteps()
    // Photos are written, moved and removed.
    #expect(count > 20)
    for step in 1...count {
      try withTemporaryDirectory { folder in
        try Notes.make(in: folder)
        try Notes.writeMapping(in: folder)
        let taken = Mutex(0)
        let opened = try? Notes.open(in: folder) { dependencies in
          dependencies.files = WatchedFiles { _, _ in
            let number = taken.withLock { taken in
              taken += 1
              return taken
            }
            if number == step { throw CocoaError(.fileWriteOutOfSpace) }
          }
        }
        if let opened {
          try Notes.expectMigrated(opened)
        } else {
          try Notes.expectFormer(in: folder)
        }
        try Notes.expectMigrated(Notes.open(in: folder))
        #expect(try Self.remains(in: folder) == [])
      }
    }
  }

  @Test func `A process killed at any file operation leaves a whole store`() async throws {
    let count = try Self.fileSteps()
    for step in 1...count {
      try await withTemporaryDirectory { folder in
        try Notes.make(in: folder)
        try Notes.writeMapping(in: folder)
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [path = folder.path as String, step = step as Int] in
          let taken = Mutex(0)
          _ = try Notes.open(in: URL(fileURLWithPath: path)) { dependencies in
            dependencies.files = WatchedFiles { _, _ in
              let number = taken.withLock { taken in
                taken += 1
                return taken
              }
              if number == step { kill(getpid(), SIGKILL) }
            }
          }
        }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
          type: .sqlite, at: Notes.file(in: folder))
        if Notes.model(1).isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) {
          try Notes.expectFormer(in: folder)
        }
        try Notes.expectMigrated(Notes.open(in: folder))
        #expect(try Self.remains(in: folder) == [])
      }
    }
  }

  /// The number of file operations of a migration.
  private static func fileSteps() throws -> Int {
    let steps = Mutex(0)
    try withTemporaryDirectory { folder in
      try Notes.make(in: folder)
      try Notes.writeMapping(in: folder)
      _ = try Notes.open(in: folder) { dependencies in
        dependencies.files = WatchedFiles { _, _ in steps.withLock { $0 += 1 } }
      }
    }
    return steps.withLock { $0 }
  }
}
