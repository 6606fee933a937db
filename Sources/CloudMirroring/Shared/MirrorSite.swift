package import CloudKitClient
package import CloudRecords
package import Foundation
import ManagedObjectModel
package import ManagedObjects
package import MirrorLedger
package import MirrorModel
package import ObjectRows
import SQLiteDriver

/// Where a store is mirrored: its ledger, its schema, its database, and how contexts of it are
/// made.
// Sendable: immutable, and each of its parts is.
package final class MirrorSite: @unchecked Sendable {
  package let container: CKContainer
  package let scope: CKDatabase.Scope
  package let schema: MirrorSchema
  package let ledger: Ledger
  package let layouts: ModelLayouts
  package let dependencies: StackDependencies
  /// Time, waiting and chance, which are the client's.
  package let clock: ClientDependencies
  /// Whether devices seal the values of encrypted attributes, and not the server.
  var expectsSealed: Bool { (try? container.binding())?.configuration.encryptedValues != .server }
  let identity: StoreIdentity
  let number: UInt16
  let assets: AssetFolder
  /// The name of the store's file.
  let storeName: String
  private weak let coordinator: NSPersistentStoreCoordinator?
  /// What the coordinator is known by, whether or not it is still there.
  let coordinatorID: ObjectIdentifier

  init(
    container: CKContainer, scope: CKDatabase.Scope, schema: MirrorSchema, ledger: Ledger,
    store: OpenStore,
    url: URL, coordinator: NSPersistentStoreCoordinator
  ) {
    self.container = container
    self.scope = scope
    self.schema = schema
    self.ledger = ledger
    self.coordinator = coordinator
    coordinatorID = ObjectIdentifier(coordinator)
    layouts = coordinator.layouts
    dependencies = store.dependencies
    clock = (try? container.binding().dependencies) ?? .machine
    identity = store.identity
    number = store.number
    assets = AssetFolder(besideStore: url)
    storeName = url.lastPathComponent
  }

  /// The database, for the user whose data the store has, or who reads a public one; anonymous
  /// without a user.
  package var database: CKDatabase {
    get throws {
      let database = container.database(with: scope).openingFiles
      let account = try ledger.state(scope == .public ? .presentUser : .account)
      guard case .text(let user)? = account else {
        return scope == .public ? database.onlyAnonymous : database
      }
      return database.only(for: user)
    }
  }

  /// The user who reads a public database; nil without one, and for other databases.
  var presentUser: String? {
    get throws {
      guard scope == .public, case .text(let user)? = try ledger.state(.presentUser) else {
        return nil
      }
      return user
    }
  }

  /// A record without fields, as the present user sees it.
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

  /// What the clock shows.
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

  /// Whether the store has the objects of a zone besides those of its home zone.
  func isShareZone(_ zone: RecordZoneIdentifier) -> Bool {
    switch scope {
    case .private: zone.zoneName.hasPrefix(MirrorNames.shareZonePrefix)
    case .shared: true
    case .public: false
    }
  }

  /// The store, while the coordinator has it.
  func store() throws -> NSPersistentStore {
    guard let store = coordinator?.openStore(number: number)?.persistentStore else {
      throw MirrorError(.storeRemoved, "The store \(identity.uuid) is not open any more.")
    }
    return store
  }

  /// Tells the program that a share changed: contexts have nothing to merge.
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

  /// The identifier of the object of a key.
  func objectID(_ key: RowKey) -> NSManagedObjectID {
    NSManagedObjectID(layout: layouts[key.layoutIndex], key: key.key, storeIdentity: identity)
  }

  /// Whether the deletion of an object may take others along by a rule of the model, or be for
  /// another one that has the same unique values.
  func concernsOthers(_ key: RowKey) -> Bool {
    layouts[key.layoutIndex].deletesOthers || mustBeUnique(key)
  }

  /// The names of properties, of an entity.
  func names(_ ordinals: OrdinalSet, of key: RowKey) -> Set<String> {
    let layout = layouts[key.layoutIndex]
    return Set(ordinals.ordinals.map { layout.properties[$0].name })
  }

  /// The ordinals of properties, of an entity.
  func ordinals(_ names: Set<String>, of key: RowKey) -> OrdinalSet {
    let layout = layouts[key.layoutIndex]
    return OrdinalSet(names.compactMap(layout.ordinal(of:)))
  }

  /// What is known of properties by their ordinals, by their names.
  func names<Known>(_ byOrdinal: [Int: Known], of key: RowKey) -> [String: Known] {
    let layout = layouts[key.layoutIndex]
    return Dictionary(uniqueKeysWithValues: byOrdinal.map { (layout.properties[$0].name, $1) })
  }

  /// What is known of properties by their names, by their ordinals.
  func ordinals<Known>(_ byName: [String: Known], of key: RowKey) -> [Int: Known] {
    ordinals(byName, in: layouts[key.layoutIndex])
  }

  /// What is known of properties by their names, by their ordinals in a layout.
  func ordinals<Known>(_ byName: [String: Known], in layout: RowLayout) -> [Int: Known] {
    Dictionary(
      byName.compactMap { name, known in layout.ordinal(of: name).map { ($0, known) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Runs a block with a context of its own, on that context's queue.
  func withContext<Result>(
    author: String? = nil, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Result
  ) async throws -> Result {
    let context = try makeContext(author)
    return try await context.perform(schedule: .enqueued) {
      defer { context.reset() }
      return try body(context)
    }
  }

  /// The same for who waits.
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
