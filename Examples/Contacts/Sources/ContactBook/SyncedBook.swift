import CloudKit
import Foundation

/// The contacts in one zone of a database, which a sync engine keeps equal on all devices.
///
/// The book adds pending changes. The engine decides when to send them, asks for the records,
/// fetches the zone, and reports results as events.
public actor SyncedBook: CKSyncEngineDelegate {
  /// The zone of the contacts.
  public let zoneID: CKRecordZone.ID

  private var contacts: [CKRecord.ID: Contact] = [:]
  private var engine: CKSyncEngine?
  /// The state of the engine.
  ///
  /// A program stores it with the contacts, and passes it to the engine at the next launch.
  private var serialization: CKSyncEngine.State.Serialization?

  /// Creates an empty book for a zone.
  public init(zoneID: CKRecordZone.ID) { self.zoneID = zoneID }

  /// The stored form of a book.
  private struct Kept: Codable {
    /// The archived records.
    var records: [Data]
    var serialization: CKSyncEngine.State.Serialization?
  }

  /// Creates a book from its stored form.
  public init(zoneID: CKRecordZone.ID, kept: Data) throws {
    self.zoneID = zoneID
    let kept = try JSONDecoder().decode(Kept.self, from: kept)
    serialization = kept.serialization
    for data in kept.records {
      guard let record = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data)
      else { continue }
      contacts[record.recordID] = Contact(record: record)
    }
  }

  /// Returns the stored form: the contacts, and the engine's state with its pending changes.
  public func kept() throws -> Data {
    let records = try contacts.values.map {
      try NSKeyedArchiver.archivedData(withRootObject: $0.record, requiringSecureCoding: true)
    }
    return try JSONEncoder().encode(Kept(records: records, serialization: serialization))
  }

  /// Starts to sync with a database.
  ///
  /// - Parameter automatically: Whether the engine syncs by itself, or only in `sync()`.
  public func start(with database: CKDatabase, automatically: Bool) {
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: serialization, delegate: self)
    configuration.automaticallySync = automatically
    engine = CKSyncEngine(configuration)
  }

  /// Fetches remote changes, and sends local ones.
  ///
  /// If another device changed a contact first, both changes are merged and sent again.
  public func sync() async throws {
    guard let engine else { return }
    repeat {
      try await engine.fetchChanges()
      try await engine.sendChanges()
    } while !engine.state.pendingRecordZoneChanges.isEmpty
  }

  // MARK: Contacts

  /// The names of the contacts, sorted.
  public var names: [String] { contacts.values.map(\.name).sorted() }

  /// A line for each contact, sorted.
  public var lines: [String] { contacts.values.map(\.line).sorted() }

  /// Adds a contact.
  public func add(_ name: String) {
    let contact = Contact(name: name, in: zoneID)
    contacts[contact.record.recordID] = contact
    engine?.state.add(pendingRecordZoneChanges: [.saveRecord(contact.record.recordID)])
  }

  /// Sets a field of a contact.
  ///
  /// - Returns: Whether this device has the contact.
  @discardableResult
  public func set(_ key: CKRecord.FieldKey, to text: String, ofContactNamed name: String) -> Bool {
    guard let contact = contacts.values.first(where: { $0.name == name }) else { return false }
    contact.record[key] = text
    engine?.state.add(pendingRecordZoneChanges: [.saveRecord(contact.record.recordID)])
    return true
  }

  /// Returns a field of a contact.
  public func text(_ key: CKRecord.FieldKey, ofContactNamed name: String) -> String? {
    contacts.values.first { $0.name == name }?.record[key]
  }

  /// Removes a contact.
  ///
  /// - Returns: Whether this device had the contact.
  @discardableResult
  public func remove(contactNamed name: String) -> Bool {
    guard let recordID = contacts.values.first(where: { $0.name == name })?.record.recordID else {
      return false
    }
    contacts[recordID] = nil
    engine?.state.add(pendingRecordZoneChanges: [.deleteRecord(recordID)])
    return true
  }

  // MARK: The engine

  /// Stores the engine's state, applies remote changes, and resolves failed saves.
  public func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) {
    switch event {
    case .stateUpdate(let update): serialization = update.stateSerialization
    case .fetchedRecordZoneChanges(let changes): take(changes, syncEngine)
    case .fetchedDatabaseChanges(let changes):
      for deletion in changes.deletions where deletion.zoneID == zoneID {
        leaveZone(deletion.reason, syncEngine)
      }
    case .sentRecordZoneChanges(let changes):
      for failure in changes.failedRecordSaves { handle(failure, syncEngine) }
    case .accountChange(let change):
      // Another user must not see the previous user's contacts.
      if case .switchAccounts = change.changeType { contacts = [:] }
      if case .signOut = change.changeType { contacts = [:] }
    default: break
    }
  }

  /// Provides the engine with the records to send.
  public func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let scope = context.options.scope
    let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) {
      contacts[$0]?.record
    }
  }

  /// Fetches the book's zone only.
  public func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) -> CKSyncEngine.FetchChangesOptions {
    CKSyncEngine.FetchChangesOptions(scope: .zoneIDs([zoneID]))
  }

  /// Handles a deleted zone: a user deleted it, or reset encryption.
  private func leaveZone(
    _ reason: CKDatabase.DatabaseChange.Deletion.Reason, _ engine: CKSyncEngine
  ) {
    guard reason == .encryptedDataReset else {
      contacts = [:]
      return
    }
    // Only devices have the contacts now. They create the zone again and send what they have.
    contacts = contacts.mapValues(\.anew)
    engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID))])
    engine.state.add(pendingRecordZoneChanges: contacts.keys.map { .saveRecord($0) })
  }

  private func take(_ changes: CKSyncEngine.Event.FetchedRecordZoneChanges, _ engine: CKSyncEngine)
  {
    let unsent = Set(engine.state.pendingRecordZoneChanges)
    for change in changes.modifications where change.record.recordType == Contact.recordType {
      // Unsent local changes are merged when they are sent.
      if unsent.contains(.saveRecord(change.record.recordID)) { continue }
      contacts[change.record.recordID] = Contact(record: change.record)
    }
    for deletion in changes.deletions {
      contacts[deletion.recordID] = nil
      // The record was deleted elsewhere, so there is nothing left to send.
      engine.state.remove(pendingRecordZoneChanges: [.saveRecord(deletion.recordID)])
    }
  }

  /// Resolves a failed save if possible, and adds it to the pending changes again.
  ///
  /// The engine itself retries temporary failures.
  private func handle(
    _ failure: CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave, _ engine: CKSyncEngine
  ) {
    let recordID = failure.record.recordID
    switch failure.error.code {
    case .serverRecordChanged:
      guard let server = failure.error.serverRecord else { return }
      contacts[recordID] = Contact(record: server.taking(changesOf: failure.record))
    case .zoneNotFound:
      engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: recordID.zoneID))])
    case .unknownItem:
      // A deletion on another device is final.
      contacts[recordID] = nil
      return
    default: return
    }
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
  }
}
