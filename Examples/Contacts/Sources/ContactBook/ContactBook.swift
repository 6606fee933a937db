import CloudKit

/// Contacts in one zone of a database, and what of them this device has seen.
///
/// `refresh()` asks for what changed since the last time, and nothing else.
public actor ContactBook {
  /// Where the zone is.
  public let database: CKDatabase
  /// The zone with the contacts.
  public let zoneID: CKRecordZone.ID

  private var contacts: [CKRecord.ID: Contact] = [:]
  private var changeToken: CKServerChangeToken?

  /// The book in a zone, of which this device has seen nothing yet.
  public init(database: CKDatabase, zoneID: CKRecordZone.ID) {
    self.database = database
    self.zoneID = zoneID
  }

  /// The names, in order.
  public var names: [String] { contacts.values.map(\.name).sorted() }

  /// What there is to say of each contact, in the order of the names.
  public var lines: [String] { contacts.values.map(\.line).sorted() }

  /// The contact with a name, as this device has seen it.
  public func contact(named name: String) -> Contact? { contacts.values.first { $0.name == name } }

  // MARK: Changing

  /// Makes the zone, and asks to be told of its changes.
  public func prepare() async throws {
    try await database.save(CKRecordZone(zoneID: zoneID))
    let subscription = CKRecordZoneSubscription(
      zoneID: zoneID, subscriptionID: "contacts-\(zoneID.zoneName)")
    subscription.notificationInfo = CKSubscription.NotificationInfo(
      shouldSendContentAvailable: true)
    try await database.save(subscription)
  }

  /// Saves a new contact.
  @discardableResult
  public func add(_ name: String, phoneNumber: String? = nil) async throws -> Contact {
    let contact = Contact(name: name, in: zoneID)
    if let phoneNumber { contact.phoneNumber = phoneNumber }
    return try await save(contact)
  }

  /// Saves a contact; where another device was faster, its version stays but for what was changed
  /// here.
  @discardableResult
  public func save(_ contact: Contact) async throws -> Contact {
    do {
      try await database.save(contact.record)
      contacts[contact.record.recordID] = contact
      return contact
    } catch let error as CKError where error.code == .serverRecordChanged {
      guard let server = error.serverRecord else { throw error }
      return try await save(Contact(record: server.taking(changesOf: contact.record)))
    }
  }

  /// Deletes a contact.
  public func remove(_ contact: Contact) async throws {
    try await database.deleteRecord(withID: contact.record.recordID)
    contacts[contact.record.recordID] = nil
  }

  // MARK: Following

  /// Fetches what changed since the last time.
  ///
  /// Where the server does not know any more what changed, everything is fetched.
  ///
  /// - Returns: How many contacts came, and how many went.
  /// - Throws: What keeps a contact from being read, such as keys that this device does not have.
  ///   The others are there then, and that one is asked for again the next time.
  @discardableResult
  public func refresh() async throws -> (changed: Int, deleted: Int) {
    let begun = changeToken
    var counts = (changed: 0, deleted: 0)
    var unread: (any Error)?
    // The first time all that is there is told: what is not, is gone.
    var untold = changeToken == nil ? Set(contacts.keys) : []
    var moreComing = true
    while moreComing {
      guard let page = try await nextPage() else {
        (changeToken, untold) = (nil, Set(contacts.keys))
        continue
      }
      for (recordID, result) in page.modificationResultsByID {
        untold.remove(recordID)
        do {
          let record = try result.get().record
          guard record.recordType == Contact.recordType else { continue }
          contacts[recordID] = Contact(record: record)
          counts.changed += 1
        } catch {
          unread = error
        }
      }
      for deletion in page.deletions where contacts.removeValue(forKey: deletion.recordID) != nil {
        counts.deleted += 1
      }
      (changeToken, moreComing) = (page.changeToken, page.moreComing)
    }
    for recordID in untold {
      contacts[recordID] = nil
      counts.deleted += 1
    }
    guard let unread else { return counts }
    changeToken = begun
    throw unread
  }

  private typealias Page = (
    modificationResultsByID: [CKRecord.ID: Result<
      CKDatabase.RecordZoneChange.Modification, any Error
    >],
    deletions: [CKDatabase.RecordZoneChange.Deletion], changeToken: CKServerChangeToken,
    moreComing: Bool
  )

  /// What changed next; nil where the server does not know it any more.
  private func nextPage() async throws -> Page? {
    do {
      return try await database.recordZoneChanges(inZoneWith: zoneID, since: changeToken)
    } catch let error as CKError where error.code == .changeTokenExpired {
      return nil
    }
  }

  /// Stays up to date for as long as the task lives: fetches what changed at once, and whenever the
  /// server tells of a change.
  ///
  /// - Parameters:
  ///   - notifications: Those of the book's container, such as `container.notifications`.
  ///   - changed: Is called when something was fetched because the server told of it.
  public func follow(
    _ notifications: AsyncStream<CKNotification>, changed: @Sendable () -> Void = {}
  ) async throws {
    try await refresh()
    for await notification in notifications {
      guard let told = notification as? CKRecordZoneNotification, told.recordZoneID == zoneID else {
        continue
      }
      try await refresh()
      changed()
    }
  }

  /// Makes the zone anew and sends all that this device has: its user has started over with
  /// encryption, which took the zone away.
  public func restore() async throws {
    changeToken = nil
    try await prepare()
    for contact in contacts.values { try await save(contact.anew) }
  }

  /// Finds contacts by the beginning of their names, on the server.
  public func names(beginningWith prefix: String) async throws -> [String] {
    let query = CKQuery(
      recordType: Contact.recordType, predicate: NSPredicate(format: "name BEGINSWITH %@", prefix))
    query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    var names: [String] = []
    var (found, cursor) = try await database.records(
      matching: query, inZoneWith: zoneID, desiredKeys: ["name"])
    while true {
      names += try found.map { Contact(record: try $0.1.get()).name }
      guard let next = cursor else { return names }
      (found, cursor) = try await database.records(continuingMatchFrom: next, desiredKeys: ["name"])
    }
  }

  // MARK: Sharing

  /// Shares one contact, or gives its share where it is shared.
  ///
  /// Saving a share again gives the keys of encrypted values to those who have come since.
  public func share(_ contact: Contact) async throws -> CKShare {
    if let share = contact.record.share,
      let known = try await database.record(for: share.recordID) as? CKShare
    {
      return try await save(known, with: [])
    }
    let share = CKShare(rootRecord: contact.record)
    share[CKShare.SystemFieldKey.title] = contact.name
    share.publicPermission = .readWrite
    return try await save(share, with: [contact.record])
  }

  /// Ends all shares: those of single contacts, or that of the whole book.
  ///
  /// For who takes part it means to leave them; what the contacts say is not looked at, and needs
  /// no keys.
  public func endShares() async throws {
    var shareIDs: [CKRecord.ID] = []
    var (token, moreComing): (CKServerChangeToken?, Bool) = (nil, true)
    while moreComing {
      let page = try await database.recordZoneChanges(
        inZoneWith: zoneID, since: token, desiredKeys: [])
      shareIDs += page.modificationResultsByID.values.compactMap {
        (try? $0.get().record as? CKShare)?.recordID
      }
      (token, moreComing) = (page.changeToken, page.moreComing)
    }
    for shareID in shareIDs { try await database.deleteRecord(withID: shareID) }
  }

  /// Shares the whole book with somebody.
  public func shareAll(with participant: CKShare.Participant) async throws -> CKShare {
    let share = CKShare(recordZoneID: zoneID)
    share[CKShare.SystemFieldKey.title] = zoneID.zoneName
    participant.permission = .readWrite
    share.addParticipant(participant)
    return try await save(share, with: [])
  }

  private func save(_ share: CKShare, with records: [CKRecord]) async throws -> CKShare {
    _ = try await database.modifyRecords(saving: records + [share], deleting: [])
    return share
  }
}
