import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import MirroringTestSupport
import ObjectRows
import Synchronization
import TestSupport
import Testing

/// A program's actions on its objects during mirroring: unreadable values, hooks, and saves in
/// between.
@Suite("Programs and mirroring", .endsAtAll)
struct ProgramTests {
  /// A transformer that cannot encode bad moods.
  final class MoodTransformer: ValueTransformer {
    static let name = NSValueTransformerName("MirrorTestMoods")
    static let areBad = Atomic<Bool>(false)

    override class func transformedValueClass() -> AnyClass { NSData.self }
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? {
      guard let text = value as? String else { return nil }
      return text == "bad" && Self.areBad.load(ordering: .relaxed)
        ? "no bytes" : Data(text.utf8) as Any
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
      (value as? Data).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private static func moodyModel() -> NSManagedObjectModel {
    let model = AddressBook.model()
    let mood = NSAttributeDescription()
    mood.name = "mood"
    mood.attributeType = .transformableAttributeType
    mood.valueTransformerName = MoodTransformer.name.rawValue
    mood.isOptional = true
    model.entitiesByName["Person"]?.properties.append(mood)
    return model
  }

  private func blocker(_ device: Device) async throws -> NSPersistentCloudKitContainer.SyncBlocker
    .Code?
  {
    do {
      try await device.sync()
      return nil
    } catch let blocker as NSPersistentCloudKitContainer.SyncBlocker {
      return blocker.code
    }
  }

  private func reason(
    _ device: Device, _ name: String
  ) async throws -> NSPersistentCloudKitContainer.SyncBlocker.Code? {
    guard
      case .pending(let blocker) = try device.container.syncState(of: try await device.person(name))
    else { return nil }
    return blocker?.code
  }

  @Test
  func `A value that cannot be encoded holds back its object and references to it`() async throws {
    ValueTransformer.setValueTransformer(MoodTransformer(), forName: MoodTransformer.name)
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, model: Self.moodyModel())
      let other = try await Device(cloud.signIn("ada"), in: folder, model: Self.moodyModel())
      try await one.save { context in
        let people = ["Bad", "Child", "Good"].map { name -> NSManagedObject in
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue(name, forKey: "name")
          person.setValue(name == "Bad" ? "bad" : "fine", forKey: "mood")
          return person
        }
        people[1].setValue(people[0], forKey: "parent")
      }
      MoodTransformer.areBad.store(true, ordering: .relaxed)
      defer { MoodTransformer.areBad.store(false, ordering: .relaxed) }
      #expect(try await blocker(one) == .unreadableValue)
      #expect(try await reason(one, "Bad") == .unreadableValue)
      #expect(try await reason(one, "Child") == .unreadableValue)
      try await other.sync()
      #expect(try await other.names() == ["Good"])
      try await one.change("Good", ["age": 7])
      #expect(try await blocker(one) == .unreadableValue)
      try await other.sync()
      #expect(try await other.value("Good", "age") == "7", "Later saves are sent.")
      MoodTransformer.areBad.store(false, ordering: .relaxed)
      #expect(try await blocker(one) == nil)
      try await other.sync()
      #expect(try await other.names() == ["Bad", "Child", "Good"])
      #expect(try await other.value("Child", "parent") != "nil")
      try one.close()
      try other.close()
    }
  }

  // MARK: Hooks

  @Test func `Changes that program hooks make during an import are sent`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let model = AddressBook.model()
      model.entitiesByName["Person"]?.managedObjectClassName = NSStringFromClass(Citizen.self)
      let other = try await Device(cloud.signIn("ada"), in: folder, model: model)
      try await one.add("Person", ["name": "Ada"])
      for _ in 0..<2 { for device in [one, other] { try await device.sync() } }
      #expect(try await one.value("Ada", "email") == "made by a hook")
      #expect(try await one.text() == other.text())
      #expect(try await one.text().contains { $0.hasPrefix("Town name=Home") })
      try await one.save { context in
        let person = try context.person("Ada")
        person.setValue(nil, forKey: "email")
        person.setValue(5, forKey: "age")
      }
      for _ in 0..<2 { for device in [one, other] { try await device.sync() } }
      #expect(try await one.value("Ada", "email") == "made by a hook")
      #expect(try await one.value("Ada", "age") == "5")
      for device in [one, other] {
        #expect(device.container.syncState.isUpToDate)
        try device.close()
      }
    }
  }

  @Test func `If a hook deletes an object before its import is saved, it is deleted everywhere`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let model = AddressBook.model()
      model.entitiesByName["Person"]?.managedObjectClassName = NSStringFromClass(Guest.self)
      let other = try await Device(cloud.signIn("ada"), in: folder, model: model)
      for device in [one, other] { try await device.sync() }
      // Alone in the save, and together with others.
      for names in [["Unwanted"], ["Ada", "Unwanted", "Bob"]] {
        for name in names { try await one.add("Person", ["name": name]) }
        for device in [one, other, one] { try await device.sync() }
        for device in [one, other] {
          #expect(try await device.names() == names.filter { $0 != "Unwanted" }.sorted())
          #expect(device.container.syncState.isUpToDate)
        }
      }
      for device in [one, other] { try device.close() }
    }
  }

  @Test func `Changes that observers of a save make during an import are sent`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await one.add("Person", ["name": "Ada"])
      try await one.add("Person", ["name": "Bob"])
      for device in [one, other] { try await device.sync() }
      let coordinator = other.container.persistentStoreCoordinator
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextWillSave, object: nil, queue: nil
      ) { notification in
        guard let context = notification.object as? NSManagedObjectContext,
          context.persistentStoreCoordinator === coordinator,
          context.transactionAuthor == MirrorNames.importAuthor
        else { return }
        #expect(throws: Never.self) {
          // One object that the import brings, and one that it does not.
          for name in ["Ada", "Bob"] {
            try context.person(name).setValue("observed", forKey: "email")
          }
        }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try await one.change("Ada", ["age": 5])
      try await one.sync()
      try await other.sync()
      #expect(try await other.value("Ada", "age") == "5")
      for device in [other, one] { try await device.sync() }
      for name in ["Ada", "Bob"] { #expect(try await one.value(name, "email") == "observed") }
      #expect(try await one.text() == other.text())
      for device in [one, other] { try device.close() }
    }
  }

  /// A hook did not set an unreadable value or a target that has not arrived.
  @Test func `A value that an import could not set does not count as a hook's change`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let model = AddressBook.model()
      model.entitiesByName["Person"]?.properties.append(
        ModelSketch.attribute("token", .transformableAttributeType))
      let device = try await Device(cloud.signIn("ada"), in: folder, model: model)
      try await device.sync()
      let coordinator = device.container.persistentStoreCoordinator
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextWillSave, object: nil, queue: nil
      ) { notification in
        guard let context = notification.object as? NSManagedObjectContext,
          context.persistentStoreCoordinator === coordinator,
          context.transactionAuthor == MirrorNames.importAuthor
        else { return }
        for object in context.insertedObjects where object.entity.name == "Person" {
          object.setValue("observed", forKey: "email")
        }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)
      let record = CKRecord(
        recordType: "CD_Person", recordID: CKRecord.ID(recordName: "P", zoneID: zoneID))
      for (field, value) in ["CD_entityName": "Person", "CD_name": "Ada", "CD_town": "T"] {
        record[field] = value
      }
      record["CD_token"] = Data([1, 2, 3])
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      try await database.save(record)
      try await device.sync()
      #expect(try await device.value("Ada", "email") == "observed")
      #expect(device.container.syncState.stores.first?.deferredReferenceCount == 1)
      let there = try await database.record(for: record.recordID)
      #expect(there["CD_email"] as String? == "observed" && there["CD_town"] as String? == "T")
      #expect(there["CD_token"] as Data? == Data([1, 2, 3]))
      let town = CKRecord(
        recordType: "CD_Town", recordID: CKRecord.ID(recordName: "T", zoneID: zoneID))
      for (field, value) in ["CD_entityName": "Town", "CD_name": "London"] { town[field] = value }
      try await database.save(town)
      try await device.sync()
      #expect(
        try await device.text().contains { $0.contains("name=Ada") && $0.contains("town=London") })
      try device.close()
    }
  }

  // MARK: Saves in between

  @Test func `A save during an import loses nothing and is not lost`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await one.add("Person", ["name": "Ada", "email": "first", "age": 1])
      for device in [one, other] { try await device.sync() }
      try await other.change("Ada", ["email": "theirs"])
      try await other.sync()
      let coordinator = one.container.persistentStoreCoordinator
      let saves = Mutex(0)
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextWillSave, object: nil, queue: nil
      ) { notification in
        guard let context = notification.object as? NSManagedObjectContext,
          context.persistentStoreCoordinator === coordinator,
          context.transactionAuthor == MirrorNames.importAuthor,
          saves.counted() == 1
        else { return }
        let own = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        own.persistentStoreCoordinator = coordinator
        own.performAndWait {
          #expect(throws: Never.self) {
            try own.person("Ada").setValue(2, forKey: "age")
            try own.save()
          }
        }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try await one.sync()
      #expect(saves.withLock(\.self) > 1, "The import restarted.")
      #expect(try await one.value("Ada", "email") == "theirs")
      #expect(try await one.value("Ada", "age") == "2")
      try await other.sync()
      #expect(try await other.value("Ada", "age") == "2")
      for device in [one, other] { try device.close() }
    }
  }

  @Test func `Another process's saves are sent`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await one.add("Person", ["name": "Ada"])
      for device in [one, other] { try await device.sync() }
      // A container without mirroring over the same file represents another process.
      let elsewhere = NSPersistentContainer(
        name: "Elsewhere", managedObjectModel: AddressBook.model())
      let description = NSPersistentStoreDescription(url: one.file)
      description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
      elsewhere.persistentStoreDescriptions = [description]
      try await elsewhere.loadPersistentStores()
      try await elsewhere.performBackgroundTask { context in
        try context.person("Ada").setValue("from elsewhere", forKey: "email")
        NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue(
          "Bob", forKey: "name")
        try context.save()
      }
      for device in [one, other] { try await device.sync() }
      #expect(try await other.names() == ["Ada", "Bob"])
      #expect(try await other.value("Ada", "email") == "from elsewhere")
      for store in elsewhere.persistentStoreCoordinator.persistentStores {
        try elsewhere.persistentStoreCoordinator.remove(store)
      }
      for device in [one, other] { try device.close() }
    }
  }
}

/// Deletes itself before it is saved if it is not wanted.
final class Guest: NSManagedObject {
  override func willSave() {
    super.willSave()
    if !isDeleted, value(forKey: "name") as? String == "Unwanted" {
      managedObjectContext?.delete(self)
    }
  }
}

/// Sets its address before it is saved, and inserts a town when it is inserted.
final class Citizen: NSManagedObject {
  override func awakeFromInsert() {
    super.awakeFromInsert()
    guard let context = managedObjectContext else { return }
    NSEntityDescription.insertNewObject(forEntityName: "Town", into: context).setValue(
      "Home", forKey: "name")
  }

  override func willSave() {
    super.willSave()
    if !isDeleted, value(forKey: "email") == nil { setValue("made by a hook", forKey: "email") }
  }
}
