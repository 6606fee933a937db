package import CloudKitClient
package import CloudRecords
package import Foundation
import ManagedObjectModel
package import ManagedObjects
package import MirrorLedger
package import MirrorModel
package import ObjectRows
import SQLiteDriver

/// The parts of a mirrored store: ledger, schema, database, and the creation of contexts.
// Sendable: immutable, with Sendable parts.
package final class MirrorStore: @unchecked Sendable {
  package let container: CKContainer
  package let scope: CKDatabase.Scope
  package let schema: MirrorSchema
  package let ledger: Ledger
  package let layouts: ModelLayouts
  package let dependencies: StackDependencies
  /// The client's clock, waits and randomness.
  package let clock: ClientDependencies
  /// Whether devices, rather than the server, seal the values of encrypted attributes.
  var expectsSealed: Bool { (try? container.binding())?.configuration.encryptedValues != .server }
  let identity: StoreIdentity
  let number: UInt16
  let assets: AssetFolder
  /// The name of the store's file.
  let storeName: String
  private weak let coordinator: NSPersistentStoreCoordinator?
  /// The identity of the coordinator, even after it is gone.
  let coordinatorID: ObjectIdentifier

  init(
    container: CKContainer, scope: CKDatabase.Scope, schema: MirrorSchema, ledger: Ledger,
    store: OpenStore, url: URL, coordinator: NSPersistentStoreCoordinator
  ) {
    (self.container, self.scope, self.schema) = (container, scope, schema)
    (self.ledger, self.coordinator) = (ledger, coordinator)
    coordinatorID = ObjectIdentifier(coordinator)
    layouts = coordinator.layouts
    dependencies = store.dependencies
    clock = (try? container.binding().dependencies) ?? .machine
    identity = store.identity
    number = store.number
    assets = AssetFolder(besideStore: url)
    storeName = url.lastPathComponent
  }

  /// The database, for the user of the store's data or the user who reads a public one.
  ///
  /// Without a user, a public database is read anonymously.
  package var database: CKDatabase {
    get throws {
      let database = container.database(with: scope).openingFiles
      guard let user = try user else {
        return scope == .public ? database.onlyAnonymous : database
      }
      return database.only(for: user)
    }
  }

  /// The user of the store's data, or the user who reads a public database; nil if there is none.
  var user: String? {
    get throws {
      guard case .text(let user)? = try ledger.state(scope == .public ? .presentUser : .account)
      else { return nil }
      return user
    }
  }

  /// The user who reads a public database; nil without one, and for other databases.
  var presentUser: String? { get throws { try scope == .public ? user : nil } }

  /// Returns a record without fields, as the present user sees it.
  func bareRecord(_ row: LedgerRecord) -> CKRecord? {
    row.systemFields.flatMap { CKRecord(systemFields: $0, of: try? presentUser) }
  }

  /// The ID of the store's subscription; nil if there is none for its database.
  var subscriptionName: String? {
    switch scope {
    case .private: MirrorNames.privateSubscription
    case .shared: MirrorNames.sharedSubscription
    case .public: nil
    }
  }

  /// The current time.
  package var now: Date { clock.now() }

  /// The UUID of the store.
  package var storeIdentifier: String { identity.uuid }

  /// The zone of new objects' records.
  ///
  /// The shared database has none: its objects have no zone, and are not sent, until they are
  /// related to an object of a share.
  package var homeZone: RecordZoneIdentifier { Self.homeZone(of: scope) }

  static func homeZone(of scope: CKDatabase.Scope) -> RecordZoneIdentifier {
    let name =
      switch scope {
      case .public: RecordZoneIdentifier.defaultZoneName
      case .private: MirrorNames.zone
      case .shared: ""
      }
    return RecordZoneIdentifier(
      zoneName: name, ownerName: RecordZoneIdentifier.currentOwnerName)
  }

  /// Whether the store has the objects of a zone other than its home zone.
  func isShareZone(_ zone: RecordZoneIdentifier) -> Bool {
    switch scope {
    case .private: zone.zoneName.hasPrefix(MirrorNames.shareZonePrefix)
    case .shared: true
    case .public: false
    }
  }

  /// Returns the store, while the coordinator has it.
  func store() throws -> NSPersistentStore {
    guard let store = coordinator?.openStore(number: number)?.persistentStore else {
      throw MirrorError(.storeRemoved, "The store \(identity.uuid) is not open any more.")
    }
    return store
  }

  /// Notifies the program that a share changed; contexts have nothing to merge.
  func postShareChange() {
    guard let coordinator, let store = try? store() else { return }
    var userInfo: [AnyHashable: Any] = [
      NSStoreUUIDKey: storeIdentifier, RemoteChangeMonitor.isByOthersKey: false,
    ]
    userInfo[NSPersistentStoreURLKey] = store.url
    userInfo[NSPersistentHistoryTokenKey] = coordinator.currentPersistentHistoryToken(
      fromStores: [store])
    NotificationCenter.default.post(
      name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: userInfo)
  }

  /// Returns the identifier of an object.
  func objectID(_ key: RowKey) -> NSManagedObjectID {
    NSManagedObjectID(layout: layouts[key.layoutIndex], key: key.key, storeIdentity: identity)
  }

  /// Whether the deletion of an object may cascade, or be the merge of a duplicate.
  func concernsOthers(_ key: RowKey) -> Bool {
    layouts[key.layoutIndex].deletesOthers || mustBeUnique(key)
  }

  /// Returns the names of an entity's properties.
  func names(_ ordinals: OrdinalSet, of key: RowKey) -> Set<String> {
    let layout = layouts[key.layoutIndex]
    return Set(ordinals.ordinals.map { layout.properties[$0].name })
  }

  /// Returns the ordinals of an entity's properties.
  func ordinals(_ names: Set<String>, of key: RowKey) -> OrdinalSet {
    let layout = layouts[key.layoutIndex]
    return OrdinalSet(names.compactMap(layout.ordinal(of:)))
  }

  /// Converts values by ordinal to values by property name.
  func names<Known>(_ byOrdinal: [Int: Known], of key: RowKey) -> [String: Known] {
    let layout = layouts[key.layoutIndex]
    return Dictionary(uniqueKeysWithValues: byOrdinal.map { (layout.properties[$0].name, $1) })
  }

  /// Converts values by property name to values by ordinal.
  func ordinals<Known>(_ byName: [String: Known], of key: RowKey) -> [Int: Known] {
    ordinals(byName, in: layouts[key.layoutIndex])
  }

  /// Converts values by property name to values by ordinal of a layout.
  func ordinals<Known>(_ byName: [String: Known], in layout: RowLayout) -> [Int: Known] {
    Dictionary(
      byName.compactMap { name, known in layout.ordinal(of: name).map { ($0, known) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Runs a block with a new context, on the context's queue.
  func withContext<Result>(
    author: String? = nil, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Result
  ) async throws -> Result {
    let context = try makeContext(author)
    return try await context.perform(schedule: .enqueued) {
      defer { context.reset() }
      return try body(context)
    }
  }

  /// Runs a block with a new context, and waits for it.
  func withContextAndWait<Result>(_ body: (NSManagedObjectContext) throws -> Result) throws
    -> Result
  {
    let context = try makeContext(nil)
    return try context.performAndWait {
      defer { context.reset() }
      return try body(context)
    }
  }

  private func makeContext(_ author: String?) throws -> NSManagedObjectContext {
    guard let coordinator else {
      throw MirrorError(.storeRemoved, "The store's coordinator is gone.")
    }
    let context = coordinator.makeContext(.privateQueueConcurrencyType)
    context.name = MirrorNames.importAuthor
    context.transactionAuthor = author
    return context
  }
}
