import CloudKit
import Foundation

/// Contacts in one zone of a database, which a sync engine keeps the same on all devices.
///
/// The book says what it wishes to be sent. The engine decides when, asks for the records, follows
/// the zone, and tells what became of all of it.
public actor SyncedBook: CKSyncEngineDelegate {
  /// The zone with the contacts.
  public let zoneID: CKRecordZone.ID

  private var contacts: [CKRecord.ID: Contact] = [:]
  private var engine: CKSyncEngine?
  /// What the engine knows.
  ///
  /// A program keeps it on disk, beside the contacts, and gives it to the engine when it starts
  /// again.
  private var serialization: CKSyncEngine.State.Serialization?

  /// The book in a zone, of which this device has seen nothing yet.
  public init(zoneID: CKRecordZone.ID) { self.zoneID = zoneID }

  /// What a program keeps on disk of a book.
  private struct Kept: Codable {
    /// The records, archived.
    var records: [Data]
    var serialization: CKSyncEngine.State.Serialization?
  }

  /// The book that a program has kept.
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

  /// What a program keeps: the contacts, what is to be sent, and how far this device has come with
  /// what others did.
  public func kept() throws -> Data {
    let records = try contacts.values.map {
      try NSKeyedArchiver.archivedData(withRootObject: $0.record, requiringSecureCoding: true)
    }
    return try JSONEncoder().encode(Kept(records: records, serialization: serialization))
  }

  /// Begins to sync with a database.
  ///
  /// - Parameter automatically: Whether the engine syncs by itself, or only in `sync()`.
  public func start(with database: CKDatabase, automatically: Bool) {
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: serialization, delegate: self)
    configuration.automaticallySync = automatically
    engine = CKSyncEngine(configuration)
  }

  /// Fetches what others did, and sends what was done here.
  ///
  /// Where somebody else was faster with a contact, both changes are brought together, and sent
  /// once more.
  public func sync() async throws {
    guard let engine else { return }
    repeat {
      try await engine.fetchChanges()
      try await engine.sendChanges()
    } while !engine.state.pendingRecordZoneChanges.isEmpty
  }

  // MARK: Contacts

  /// The names, in order.
  public var names: [String] { contacts.values.map(\.name).sorted() }

  /// What there is to say of each contact, in the order of the names.
  public var lines: [String] { contacts.values.map(\.line).sorted() }

  /// Adds a contact.
  public func add(_ name: String) {
    let contact = Contact(name: name, in: zoneID)
    contacts[contact.record.recordID] = contact
    engine?.state.add(pendingRecordZoneChanges: [.saveRecord(contact.record.recordID)])
  }

  /// Sets a field of a contact.
  ///
  /// - Returns: Whether there is such a contact on this device.
  @discardableResult
  public func set(_ key: CKRecord.FieldKey, to text: String, ofContactNamed name: String) -> Bool {
    guard let contact = contacts.values.first(where: { $0.name == name }) else { return false }
    contact.record[key] = text
    engine?.state.add(pendingRecordZoneChanges: [.saveRecord(contact.record.recordID)])
    return true
  }

  /// A field of a contact.
  public func text(_ key: CKRecord.FieldKey, ofContactNamed name: String) -> String? {
    contacts.values.first { $0.name == name }?.record[key]
  }

  /// Removes a contact.
  ///
  /// - Returns: Whether there was such a contact on this device.
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

  /// Keeps what others did, and mends what could not be sent.
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
      // What belongs to somebody else is nobody's business here.
      if case .switchAccounts = change.changeType { contacts = [:] }
      if case .signOut = change.changeType { contacts = [:] }
    default: break
    }
  }

  /// Gives the engine the records that wait to be sent.
  public func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let scope = context.options.scope
    let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) {
      contacts[$0]?.record
    }
  }

  /// Follows the book's zone alone.
  public func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) -> CKSyncEngine.FetchChangesOptions {
    CKSyncEngine.FetchChangesOptions(scope: .zoneIDs([zoneID]))
  }

  /// The zone is gone, by somebody's wish or because the user has started over with encryption.
  private func leaveZone(
    _ reason: CKDatabase.DatabaseChange.Deletion.Reason, _ engine: CKSyncEngine
  ) {
    guard reason == .encryptedDataReset else {
      contacts = [:]
      return
    }
    // Only devices have the contacts now: they make the zone anew, and send what they have.
    contacts = contacts.mapValues(\.anew)
    engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID))])
    engine.state.add(pendingRecordZoneChanges: contacts.keys.map { .saveRecord($0) })
  }

  private func take(_ changes: CKSyncEngine.Event.FetchedRecordZoneChanges, _ engine: CKSyncEngine)
  {
    let unsent = Set(engine.state.pendingRecordZoneChanges)
    for change in changes.modifications where change.record.recordType == Contact.recordType {
      // What was changed here and not sent meets the other's change when it is sent.
      if unsent.contains(.saveRecord(change.record.recordID)) { continue }
      contacts[change.record.recordID] = Contact(record: change.record)
    }
    for deletion in changes.deletions {
      contacts[deletion.recordID] = nil
      // What was changed here has gone elsewhere: there is nothing left to send.
      engine.state.remove(pendingRecordZoneChanges: [.saveRecord(deletion.recordID)])
    }
  }

  /// Mends what can be mended, and has it sent again; what passes by itself the engine sends again.
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
      // Deleted elsewhere: that was somebody's wish.
      contacts[recordID] = nil
      return
    default: return
    }
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
  }
}
