import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// A user's device with two mirrored stores: the user's own objects, and other users' shares.
final class SharingDevice: Sendable {
  let container: NSPersistentCloudKitContainer
  let network: TestNetwork
  let user: TestDevice
  /// The store of the user's own objects.
  var own: NSPersistentStore { container.persistentStoreCoordinator.persistentStores[0] }
  /// The store of other users' shares.
  var shared: NSPersistentStore { container.persistentStoreCoordinator.persistentStores[1] }
  private let context: NSManagedObjectContext

  /// The files of the stores.
  let files: [URL]

  /// Creates a device.
  ///
  /// - Parameters:
  ///   - files: The files of a device whose program ended.
  ///   - transport: What carries its requests.
  ///   - countsStatements: Whether its coordinator has statistics of statements.
  ///   - isAutomatic: Whether steps run automatically; otherwise `sync()` runs them.
  init(
    _ device: TestDevice, in folder: URL, model: NSManagedObjectModel = AddressBook.model(),
    files: [URL]? = nil, through transport: (any CloudTransport)? = nil,
    sizes: TransferSizes = TransferSizes(),
    countsStatements: Bool = false, isAutomatic: Bool = false
  ) async throws {
    (user, network) = (device, device.network)
    self.files =
      files ?? (0..<2).map { _ in folder.appendingPathComponent("\(UUID().uuidString).sqlite") }
    container = NSPersistentCloudKitContainer(name: "Addresses", managedObjectModel: model)
    let clock = device.cloud.clock
    let impatient = ClientDependencies(
      now: { clock.now }, wait: { _ in try Task.checkCancellation() }, chance: { 0.5 },
      makeName: { UUID().uuidString })
    let cloud = CKContainer(
      device.binding(
        over: transport ?? device.transport,
        dependencies: isAutomatic ? device.patient : impatient))
    let scopes = zip([CKDatabase.Scope.private, .shared], self.files)
    container.persistentStoreDescriptions = scopes.map { scope, file in
      let description = NSPersistentStoreDescription(url: file)
      let options = NSPersistentCloudKitContainerOptions(container: cloud)
      options.isAutomatic = isAutomatic
      options.databaseScope = scope
      options.sizes = sizes
      description.cloudKitContainerOptions = options
      description.collectsStatementStatistics = countsStatements
      return description
    }
    try await container.loadPersistentStores()
    try #require(container.persistentStoreCoordinator.persistentStores.count == 2)
    context = container.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
  }

  /// Closes the stores, like the end of the program.
  func close() throws {
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
  }

  func sync() async throws { try await container.sync() }

  /// The engine of the user's own objects, and the one of other users' shares.
  var engines: (own: MirrorEngine, shared: MirrorEngine) {
    (container.mirroring.engines[0], container.mirroring.engines[1])
  }

  /// Changes objects, and saves.
  func save(_ body: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
    try await context.perform { [context] in
      context.refreshAllObjects()
      do {
        try body(context)
        try context.save()
      } catch {
        context.rollback()
        throw error
      }
    }
  }

  /// Inserts a town and its people in a store.
  func addTown(_ town: String, people: [String], isShared: Bool = false)
    async throws
  {
    try await save { context in
      let object = NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
      object.setValue(town, forKey: "name")
      context.assign(object, toShared: isShared)
      for name in people {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue(name, forKey: "name")
        person.setValue(object, forKey: "town")
        context.assign(person, toShared: isShared)
      }
    }
  }

  /// The ID of the object of an entity with a name.
  func objectID(_ name: String, _ entity: String = "Person") async throws -> NSManagedObjectID {
    try await context.perform { [context] in try context.object(name, entity).objectID }
  }

  /// Shares objects by name.
  @discardableResult
  func share(_ names: [String], _ entity: String = "Town", to share: CKShare? = nil) async throws
    -> (Set<NSManagedObjectID>, CKShare, CKContainer)
  {
    let objects = try await objects(names, entity)
    return try await container.share(objects.objects, to: share)
  }

  /// Shares objects by name with a share that may have some of them.
  func share(_ names: [String], to share: CKShare, allowingMembers: Bool) async throws {
    let objects = try await objects(names, "Town")
    try await container.share(objects.objects, to: share, allowingMembers: allowingMembers)
  }

  /// Shares a town that has unsaved changes.
  func share(_ names: [String], changing: @escaping @Sendable (NSManagedObject) -> Void)
    async throws
  {
    let objects = try await objects(names, "Town")
    await context.perform { for object in objects.objects { changing(object) } }
    defer { context.performAndWait { context.rollback() } }
    _ = try await container.share(objects.objects, to: nil)
  }

  /// Shares objects by name within a scope.
  func share(
    _ names: [String], _ entity: String = "Town",
    within scope: NSPersistentCloudKitContainer.SharingScope
  ) async throws -> (Set<NSManagedObjectID>, CKShare, CKContainer) {
    let objects = try await objects(names, entity)
    return try await container.share(objects.objects, to: nil, within: scope)
  }

  /// The preview of sharing objects by name.
  func preview(
    _ names: [String], _ entity: String = "Town",
    within scope: NSPersistentCloudKitContainer.SharingScope = .everything
  ) async throws -> [NSPersistentCloudKitContainer.SharePreviewItem] {
    try container.sharePreview(of: try await objects(names, entity).objects, within: scope)
  }

  /// The records in a zone of the user's private database.
  func records(in zone: CKRecordZone.ID) async throws -> [CKRecord.ID] {
    var (records, token): ([CKRecord.ID], CKServerChangeToken?) = ([], nil)
    while true {
      let page = try await engines.own.mirror.database.recordZoneChanges(
        inZoneWith: zone, since: token)
      records += page.modificationResultsByID.keys
      guard page.moreComing else { return records }
      token = page.changeToken
    }
  }

  /// The objects' records in each zone of the user's private database.
  func records() async throws -> [String: [String]] {
    var records: [String: [String]] = [:]
    for zone in try await engines.own.mirror.database.allRecordZones()
    where zone.zoneID.zoneName != CKRecordZoneDefaultName {
      records[zone.zoneID.zoneName] = try await self.records(in: zone.zoneID).map(\.recordName)
        .filter { $0 != CKRecordNameZoneWideShare }
    }
    return records
  }

  private func objects(_ names: [String], _ entity: String) async throws -> Objects {
    try await context.perform { [context] in
      context.refreshAllObjects()
      return Objects(objects: try names.map { try context.object($0, entity) })
    }
  }

  /// The names of all people with their towns, of one store or of both.
  func people(isShared: Bool? = nil) async throws -> [String] {
    try await container.performBackgroundTask { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
      if let isShared { request.affectedStores = [context.store(isShared: isShared)] }
      return try context.fetch(request).map { person in
        let town = (person.value(forKey: "town") as? NSManagedObject)?.value(forKey: "name")
        return "\(person.value(forKey: "name") ?? "-") of \(town ?? "-")"
      }.sorted()
    }
  }

  /// The zone of an object's record.
  func zone(_ name: String, _ entity: String = "Person") async throws -> String? {
    container.recordID(for: try await objectID(name, entity))?.zoneID.zoneName
  }

  /// Invites the user of another device to a share, and accepts the invitation on that device.
  func invite(
    _ other: SharingDevice, to share: CKShare,
    permission: CKShare.ParticipantPermission = .readWrite
  ) async throws {
    let participant = try await invited(other, permission)
    share.addParticipant(participant)
    let saved = try await container.persistUpdatedShare(share, in: own)
    let url = try #require(saved.url)
    let cloud = other.engines.shared.mirror.container
    let metadata = try await cloud.shareMetadata(for: url)
    try await other.container.acceptShareInvitations(from: [metadata], into: other.shared)
  }

  private func invited(_ other: SharingDevice, _ permission: CKShare.ParticipantPermission)
    async throws -> CKShare.Participant
  {
    let name = try #require(other.user.userRecordName)
    let found = try await container.fetchParticipants(
      matching: [CKUserIdentity.LookupInfo(userRecordID: CKRecord.ID(recordName: name))], into: own)
    let participant = try #require(found.first)
    participant.permission = permission
    return participant
  }
}

// Sendable: passed only to the container, on the queue of a test.
private struct Objects: @unchecked Sendable {
  let objects: [NSManagedObject]
}

extension NSManagedObjectContext {
  /// The store of the user's own objects, or of other users' shares.
  func store(isShared: Bool) -> NSPersistentStore {
    guard let stores = persistentStoreCoordinator?.persistentStores, stores.count == 2 else {
      preconditionFailure("A sharing device has two stores.")
    }
    return stores[isShared ? 1 : 0]
  }

  /// Assigns an object to one of the stores.
  func assign(_ object: NSManagedObject, toShared isShared: Bool) {
    assign(object, to: store(isShared: isShared))
  }

  /// The object of an entity with a name or title.
  func object(_ name: String, _ entity: String) throws -> NSManagedObject {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = NSPredicate(
      format: entity == "Group" ? "title == %@" : "name == %@", name)
    guard let object = try fetch(request).first else { throw NoSuchPerson(name: name) }
    return object
  }
}
