import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// A note that a test expects: its title and its text.
private struct Note: Hashable {
  var title: String?
  var text: String?
}

/// Versions of a model that one thread uses.
private struct KnownVersions: @unchecked Sendable {
  let models: [NSManagedObjectModel]
}

@Suite struct `Staged migrations` {
  private static let first = NotesModel.first.model
  private static let second = NotesModel.second.model
  private static let third = NotesModel.third.model
  private static let fourth = NotesModel.fourth.model

  private static func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
    NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
  }

  private static func file(in folder: URL) -> URL { folder.appendingPathComponent("Notes.sqlite") }

  /// Creates a store of a version with two notes, the second without a title.
  private static func make(_ model: NSManagedObjectModel, in folder: URL) throws {
    let office = try Office(model: model, at: file(in: folder))
    let attributes = model.entitiesByName["Note"]?.attributesByName ?? [:]
    for (title, text) in [("one", "1"), (nil, "2")] {
      let note = office.context.insert("Note")
      note.setValue(title ?? (attributes["title"]?.isOptional == true ? nil : "t"), forKey: "title")
      if attributes["body"] != nil { note.setValue(text, forKey: "body") }
    }
    try office.context.save()
    try office.coordinator.remove(office.coordinator.persistentStores[0])
  }

  /// All stages, of which the custom one gives every note a title.
  private static func stages(
    willMigrate: @escaping @Sendable (NSManagedObjectContext) throws -> Void = fillTitles,
    didMigrate: (@Sendable (NSManagedObjectContext) throws -> Void)? = nil
  ) -> NSStagedMigrationManager {
    let custom = NSCustomMigrationStage(migratingFrom: reference(second), to: reference(third))
    custom.label = "Require titles"
    custom.willMigrateHandler = { manager, _ in
      let context = try #require(manager.container).newBackgroundContext()
      try context.performAndWait { try willMigrate(context) }
    }
    if let didMigrate {
      custom.didMigrateHandler = { manager, _ in
        let context = try #require(manager.container).newBackgroundContext()
        try context.performAndWait { try didMigrate(context) }
      }
    }
    return NSStagedMigrationManager([
      NSLightweightMigrationStage([first.versionChecksum, second.versionChecksum]), custom,
      NSLightweightMigrationStage([third.versionChecksum, fourth.versionChecksum]),
    ])
  }

  @Sendable private static func fillTitles(_ context: NSManagedObjectContext) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.predicate = NSPredicate(format: "title = nil")
    for note in try context.fetch(request) { note.setValue("untitled", forKey: "title") }
    try context.save()
  }

  private static func open(
    _ model: NSManagedObjectModel, in folder: URL, _ manager: NSStagedMigrationManager?,
    _ more: [AnyHashable: Any] = [:]
  ) throws -> Office {
    var options = more
    options[NSMigratePersistentStoresAutomaticallyOption] = true
    options[NSInferMappingModelAutomaticallyOption] = true
    options[NSPersistentStoreStagedMigrationManagerOptionKey] = manager
    return try Office(model: model, at: file(in: folder), options: options)
  }

  private static func notes(_ office: Office, text: String = "text") throws -> Set<Note> {
    let notes = try office.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
    return Set(
      notes.map {
        Note(
          title: $0.value(forKey: "title") as? String, text: $0.value(forKey: text) as? String)
      })
  }

  private func cocoaError(_ body: () throws -> Void) throws -> NSError {
    let error = try #require(throws: (any Error).self) { try body() }
    return error as NSError
  }

  // MARK: Stages

  @Test func `A handler fills values before they become required`() throws {
    try withTemporaryDirectory { folder in
      try Self.make(Self.second, in: folder)
      let office = try Self.open(Self.third, in: folder, Self.stages())
      #expect(
        try Self.notes(office, text: "body")
          == [Note(title: "one", text: "1"), Note(title: "untitled", text: "2")])
    }
  }

  @Test func `A store of any version goes through the stages that it needs`() throws {
    for (model, texts) in [
      (Self.first, [nil, nil]), (Self.second, ["1", "2"]), (Self.third, ["1", "2"]),
    ] {
      try withTemporaryDirectory { folder in
        try Self.make(model, in: folder)
        let office = try Self.open(Self.fourth, in: folder, Self.stages())
        let titles = model === Self.third ? ["one", "t"] : ["one", "untitled"]
        #expect(
          try Self.notes(office) == Set(zip(titles, texts).map { Note(title: $0, text: $1) }))
      }
    }
  }

  @Test func `The handlers see the models before and after the stage`() throws {
    try withTemporaryDirectory { folder in
      try Self.make(Self.second, in: folder)
      let seen = Mutex<[Bool?]>([])
      let record: @Sendable (NSManagedObjectContext) throws -> Void = { context in
        let model = try #require(context.persistentStoreCoordinator?.managedObjectModel)
        let title = model.entitiesByName["Note"]?.attributesByName["title"]
        seen.withLock { $0.append(title?.isOptional) }
      }
      let manager = Self.stages(
        willMigrate: {
          try record($0)
          try Self.fillTitles($0)
        }, didMigrate: record)
      _ = try Self.open(Self.fourth, in: folder, manager)
      #expect(seen.withLock { $0 } == [true, false])
      #expect(manager.container == nil)
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite, at: Self.file(in: folder))
      #expect(metadata["ParhelionPendingMigrationStage"] == nil)
    }
  }

  @Test func `A store of the current version and a new store need no stages`() throws {
    try withTemporaryDirectory { folder in
      let manager = Self.stages(willMigrate: { _ in Issue.record("a handler was called") })
      for _ in 1...2 {
        let office = try Self.open(Self.fourth, in: folder, manager)
        #expect(try Self.notes(office) == [])
      }
    }
  }

  @Test func `A store that another stack takes further is not migrated backwards`() throws {
    try withTemporaryDirectory { folder in
      try Self.make(Self.second, in: folder)
      let file = Self.file(in: folder)
      let manager = Self.stages(willMigrate: { _ in
        let office = try Self.open(
          Self.fourth, in: file.deletingLastPathComponent(), Self.stages())
        try office.coordinator.remove(office.coordinator.persistentStores[0])
      })
      let office = try Self.open(Self.fourth, in: folder, manager)
      #expect(
        try Self.notes(office)
          == [Note(title: "one", text: "1"), Note(title: "untitled", text: "2")])
    }
  }

  @Test func `Handlers of a store with history record their changes`() throws {
    try withTemporaryDirectory { folder in
      let history = [NSPersistentHistoryTrackingKey: true] as [AnyHashable: Any]
      let former = try Office(model: Self.second, at: Self.file(in: folder), options: history)
      _ = former.context.insert("Note")
      try former.context.save()
      try former.coordinator.remove(former.coordinator.persistentStores[0])
      let office = try Self.open(Self.third, in: folder, Self.stages(), history)
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
      let result = try office.context.execute(request) as? NSPersistentHistoryResult
      let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
      #expect(transactions.count == 2)
    }
  }

  @Test func `The stores of two configurations go through the same stages`() throws {
    func model(_ notes: NotesModel, _ attributes: [String]) -> NSManagedObjectModel {
      let model = notes.model
      let log = MigrationModels.entity("Log", attributes.map { MigrationModels.attribute($0) })
      model.entities += [log]
      model.setEntities(
        model.entities.filter { $0.name == "Note" }, forConfigurationName: "Notes")
      model.setEntities([log], forConfigurationName: "Logs")
      return model
    }
    // The second version changes the notes only, and the third both.
    let versions = [
      model(.first, ["line"]), model(.second, ["line"]), model(.third, ["line", "level"]),
    ]
    try withTemporaryDirectory { folder in
      func open(
        _ version: NSManagedObjectModel, _ options: [AnyHashable: Any] = [:]
      ) throws -> NSManagedObjectContext {
        var dependencies = StackDependencies.current
        dependencies.checksQueues = false
        let known = KnownVersions(models: versions)
        dependencies.modelVersions = { known.models }
        return try StackDependencies.$current.withValue(dependencies) {
          let coordinator = NSPersistentStoreCoordinator(managedObjectModel: version)
          for name in ["Notes", "Logs"] {
            try coordinator.addPersistentStore(
              ofType: NSSQLiteStoreType, configurationName: name,
              at: folder.appendingPathComponent("\(name).sqlite"), options: options)
          }
          let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
          context.persistentStoreCoordinator = coordinator
          return context
        }
      }
      let former = try open(versions[0])
      former.insert("Note").setValue("one", forKey: "title")
      _ = former.insert("Note")
      former.insert("Log").setValue("started", forKey: "line")
      try former.save()
      for store in former.persistentStoreCoordinator?.persistentStores ?? [] {
        try former.persistentStoreCoordinator?.remove(store)
      }
      let custom = NSCustomMigrationStage(
        migratingFrom: Self.reference(versions[1]), to: Self.reference(versions[2]))
      custom.willMigrateHandler = { manager, _ in
        let context = try #require(manager.container).newBackgroundContext()
        try context.performAndWait {
          let stores = context.persistentStoreCoordinator?.persistentStores ?? []
          guard stores.first?.configurationName == "Notes" else { return }
          try Self.fillTitles(context)
        }
      }
      let manager = NSStagedMigrationManager([
        NSLightweightMigrationStage(versions.prefix(2).map(\.versionChecksum)), custom,
      ])
      let context = try open(
        versions[2],
        [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true,
          NSPersistentStoreStagedMigrationManagerOptionKey: manager,
        ])
      #expect(Set(try context.all("Note").map { $0.text("title") }) == ["one", "untitled"])
      #expect(try context.all("Log").map { $0.text("line") } == ["started"])
      context.insert("Log").setValue("high", forKey: "level")
      try context.save()
    }
  }

  // MARK: Errors

  @Test func `A handler's error stops the migration before the stage`() throws {
    struct Failure: Error {}
    try withTemporaryDirectory { folder in
      try Self.make(Self.first, in: folder)
      let error = try cocoaError {
        _ = try Self.open(
          Self.fourth, in: folder, Self.stages(willMigrate: { _ in throw Failure() }))
      }
      #expect(error.code == NSMigrationError)
      #expect(error.localizedDescription.contains("Require titles"))
      #expect(error.userInfo[NSUnderlyingErrorKey] is Failure)
      // The lightweight stage before it is complete.
      #expect(
        try Self.notes(Office(model: Self.second, at: Self.file(in: folder)), text: "body").count
          == 2)
      #expect(try Self.notes(Self.open(Self.fourth, in: folder, Self.stages())).count == 2)
    }
  }

  @Test func `The second handler is called again if it failed`() throws {
    struct Failure: Error {}
    try withTemporaryDirectory { folder in
      try Self.make(Self.second, in: folder)
      _ = try cocoaError {
        _ = try Self.open(
          Self.fourth, in: folder, Self.stages(didMigrate: { _ in throw Failure() }))
      }
      let calls = Mutex(0)
      let manager = Self.stages(
        willMigrate: { _ in Issue.record("the first handler was called again") },
        didMigrate: { _ in calls.withLock { $0 += 1 } })
      #expect(try Self.notes(Self.open(Self.fourth, in: folder, manager)).count == 2)
      #expect(calls.withLock { $0 } == 1)
      _ = try Self.open(Self.fourth, in: folder, manager)
      #expect(calls.withLock { $0 } == 1)
    }
  }

  @Test func `A stage that cannot be inferred leaves the store at the version before it`() throws {
    try withTemporaryDirectory { folder in
      try Self.make(Self.second, in: folder)
      let error = try cocoaError {
        _ = try Self.open(Self.fourth, in: folder, Self.stages(willMigrate: { _ in }))
      }
      #expect(
        [NSMigrationError, NSInferredMappingModelError, NSMigrationConstraintViolationError]
          .contains(error.code))
      #expect(error.localizedDescription.contains("title"))
      #expect(
        try Self.notes(Office(model: Self.second, at: Self.file(in: folder)), text: "body").count
          == 2)
    }
  }

  @Test func `Unknown and later versions are refused, and the file stays as it is`() throws {
    let all = Self.stages()
    let unknown = NotesModel(attributes: [.init(name: "mood")]).model
    for (store, model, manager, code) in [
      (unknown, Self.fourth, all, NSManagedObjectModelReferenceNotFoundError),
      (Self.first, unknown, all, NSManagedObjectModelReferenceNotFoundError),
      (Self.third, Self.second, all, NSStagedMigrationBackwardMigrationError),
    ] {
      try withTemporaryDirectory { folder in
        let file = Self.file(in: folder)
        try Office(model: store, at: file).context.save()
        let before = try Data(contentsOf: file)
        let error = try cocoaError { _ = try Self.open(model, in: folder, manager) }
        #expect(error.code == code)
        #expect(try Data(contentsOf: file) == before)
      }
    }
  }

  @Test func `A store without version hashes is refused`() throws {
    try withTemporaryDirectory { folder in
      try Self.make(Self.first, in: folder)
      let file = Self.file(in: folder)
      try StoreFiles.changeMetadata(at: file) { metadata in
        var changed = metadata
        changed.entries[StoreMetadata.Key.hashes] = nil
        changed.entries[StoreMetadata.Key.checksum] = nil
        return changed
      }
      let error = try cocoaError { _ = try Self.open(Self.fourth, in: folder, Self.stages()) }
      #expect(error.code == NSStagedMigrationFrameworkVersionMismatchError)
    }
  }

  @Test func `Stages do not run without the option to migrate`() throws {
    try withTemporaryDirectory { folder in
      try Self.make(Self.first, in: folder)
      let error = try cocoaError {
        _ = try Office(
          model: Self.fourth, at: Self.file(in: folder),
          options: [NSPersistentStoreStagedMigrationManagerOptionKey: Self.stages()])
      }
      #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
    }
  }

  // MARK: Killed processes

  @Test func `A stage runs again after its process was killed in a handler`() async throws {
    for isFirst in [true, false] {
      try await withTemporaryDirectory { folder in
        try Self.make(Self.first, in: folder)
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [path = folder.path as String, isFirst = isFirst as Bool] in
          let die: @Sendable (NSManagedObjectContext) throws -> Void = { context in
            try? Self.fillTitles(context)
            kill(getpid(), SIGKILL)
          }
          let manager =
            isFirst ? Self.stages(willMigrate: die) : Self.stages(didMigrate: die)
          _ = try Self.open(Self.fourth, in: URL(fileURLWithPath: path), manager)
        }
        let calls = Mutex(0)
        let manager = Self.stages(didMigrate: { _ in calls.withLock { $0 += 1 } })
        let office = try Self.open(Self.fourth, in: folder, manager)
        #expect(
          try Self.notes(office).compactMap(\.title).sorted() == ["one", "untitled"])
        #expect(calls.withLock { $0 } == 1)
      }
    }
  }
}
