import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// A clock that advances by one second each time it is read.
final class TestClock: Sendable {
  private let seconds = Atomic<Int>(1_000)
  func now() -> Date {
    Date(timeIntervalSinceReferenceDate: Double(seconds.add(1, ordering: .relaxed).newValue))
  }
}

/// UUIDs that are the same in each run.
final class TestUUIDs: Sendable {
  private let generator: Mutex<SeededGenerator>
  init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }
  func next() -> UUID {
    generator.withLock { generator in
      let halves = (generator.next(), generator.next())
      return unsafe UUID(uuid: unsafeBitCast(halves, to: uuid_t.self))
    }
  }
}

/// A store of notes, with or without mirroring.
final class NotesStore {
  let coordinator: NSPersistentStoreCoordinator
  let context: NSManagedObjectContext
  let persistentStore: NSPersistentStore
  let store: SQLiteRowStore
  private(set) var ledger: Ledger?
  let clock = TestClock()

  static let zone = RecordZoneIdentifier(
    zoneName: MirrorNames.zone, ownerName: RecordZoneIdentifier.currentOwnerName)

  static func record(_ name: String) -> RecordIdentifier {
    RecordIdentifier(recordName: name, zone: zone)
  }

  init(
    at url: URL, _ model: NSManagedObjectModel = NotesModel.make(), mirrors: Bool = true,
    seed: UInt64 = 1,
    options more: [String: Any] = [:]
  ) throws {
    var dependencies = StackDependencies.current
    dependencies.checksQueues = false
    coordinator = StackDependencies.$current.withValue(dependencies) {
      NSPersistentStoreCoordinator(managedObjectModel: model)
    }
    var options: [String: Any] = [NSPersistentHistoryTrackingKey: true]
    options.merge(more) { _, new in new }
    persistentStore = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    context = StackDependencies.$current.withValue(dependencies) {
      NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    }
    context.persistentStoreCoordinator = coordinator
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    store = try #require(persistentStore.rowStore as? SQLiteRowStore)
    if mirrors { try startMirroring(seed: seed) }
  }

  func startMirroring(seed: UInt64 = 1) throws {
    let (clock, uuids) = (clock, TestUUIDs(seed: seed))
    ledger = try Ledger.open(
      store, LedgerOptions(homeZone: Self.zone, makeUUID: { uuids.next() }, now: { clock.now() }))
  }

  /// The ledger of a store that mirrors.
  var requiredLedger: Ledger {
    get throws { try #require(ledger) }
  }

  func close() throws {
    ledger?.close()
    try coordinator.remove(persistentStore)
  }

  // MARK: Objects

  @discardableResult
  func insert(_ entity: String, _ values: [String: Any] = [:]) throws -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    for (name, value) in values { object.setValue(value, forKey: name) }
    return object
  }

  func save(author: String? = nil) throws {
    context.transactionAuthor = author
    defer { context.transactionAuthor = nil }
    try context.save()
  }

  /// The result of importing an object whose record has a name.
  func imported(
    _ object: NSManagedObject, _ name: String, tag: String = "7",
    settled: LedgerChanges.Record.Settled = .nothing, isNew: Bool = false
  ) throws -> LedgerChanges.Record {
    try context.obtainPermanentIDs(for: [object])
    return LedgerChanges.Record(
      .object(key(object)), Self.record(name), tag: tag, systemFields: [7], settled: settled,
      isNew: isNew)
  }

  func key(_ object: NSManagedObject) -> RowKey { key(object.objectID) }
  func key(_ id: NSManagedObjectID) -> RowKey {
    RowKey(key: id.key, layoutIndex: Int32(id.layout.index))
  }

  func find(_ entity: String) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    return try context.fetch(request)
  }

  // MARK: The outbox

  /// All pending entries.
  func entries() throws -> [OutboxEntry] {
    var entries: [OutboxEntry] = []
    var position: OutboxPosition?
    repeat {
      let page = try requiredLedger.outbox.nextGroups(after: position, limit: 7)
      entries += page.entries
      position = page.next
    } while position != nil
    return entries
  }

  /// The pending entries as text: `insertion Note/1`, `update Note/1 title,body`, `deletion
  /// Note.tags 1-2`.
  func waiting() throws -> [String] { try entries().map(text) }

  func text(_ entry: OutboxEntry) -> String {
    switch entry.subject {
    case .object(let key):
      let layout = store.layouts[key.layoutIndex]
      let names = entry.changed.ordinals.map { layout.properties[$0].name }.joined(separator: ",")
      return "\(entry.kind) \(layout.entity.name ?? "")/\(key.key)"
        + (names.isEmpty ? "" : " " + names)
    case .pair(let pair):
      return
        "\(entry.kind) \(pair.entity).\(pair.relationship) \(pair.first.key)-\(pair.second.key)"
    }
  }

  /// Sends everything and acknowledges it.
  func settle() throws {
    let entries = try entries()
    try requiredLedger.outbox.recordSending(entries)
    try acknowledge(entries)
    #expect(try waiting().isEmpty)
  }

  func acknowledge(_ entries: [OutboxEntry], tag: String = "1") throws {
    try requiredLedger.outbox.acknowledge(
      entries.map { Acknowledgement($0, tag: tag, systemFields: [1, 2, 3]) })
  }

  /// Another connection to the file, like a tool's.
  func outsider() throws -> Connection { try Connection(.file(#require(persistentStore.url).path)) }
}

/// Creates a store of notes in its own folder.
func withNotebook(mirrors: Bool = true, _ body: (NotesStore, URL) throws -> Void) throws {
  try withTemporaryDirectory { folder in
    let url = folder.appendingPathComponent("Notes.sqlite")
    let notesStore = try NotesStore(at: url, mirrors: mirrors)
    try body(notesStore, url)
    try? notesStore.close()
  }
}
