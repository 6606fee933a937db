import CloudKit

/// The contacts in one zone of a database, as far as this device has fetched them.
///
/// `refresh()` fetches only what changed since the last call.
public actor ContactBook {
  /// The database that contains the zone.
  public let database: CKDatabase
  /// The zone of the contacts.
  public let zoneID: CKRecordZone.ID

  private var contacts: [CKRecord.ID: Contact] = [:]
  private var changeToken: CKServerChangeToken?

  /// Creates an empty book for a zone.
  public init(database: CKDatabase, zoneID: CKRecordZone.ID) {
    self.database = database
    self.zoneID = zoneID
  }

  /// The names of the contacts, sorted.
  public var names: [String] { contacts.values.map(\.name).sorted() }

  /// A line for each contact, sorted.
  public var lines: [String] { contacts.values.map(\.line).sorted() }

  /// Returns the contact with a name, as this device has fetched it.
  public func contact(named name: String) -> Contact? { contacts.values.first { $0.name == name } }

  // MARK: Changing

  /// Creates the zone, and subscribes to its changes.
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

  /// Saves a contact.
  ///
  /// If another device saved the contact first, this device's changes are merged into that version.
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

  /// Fetches what changed since the last call.
  ///
  /// If the change token has expired, everything is fetched.
  ///
  /// - Returns: The number of changed and of deleted contacts.
  /// - Throws: An error if a contact cannot be read, for example because this device lacks its
  ///   keys. The other contacts are fetched, and the next call retries the unreadable contact.
  @discardableResult
  public func refresh() async throws -> (changed: Int, deleted: Int) {
    let begun = changeToken
    var counts = (changed: 0, deleted: 0)
    var unread: (any Error)?
    // A fetch without a token reports every contact, so a contact that it does not report was
    // deleted.
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

  /// Fetches the next page of changes, or returns nil if the change token has expired.
  private func nextPage() async throws -> Page? {
    do {
      return try await database.recordZoneChanges(inZoneWith: zoneID, since: changeToken)
    } catch let error as CKError where error.code == .changeTokenExpired {
      return nil
    }
  }

  /// Stays up to date while the task runs: fetches changes now and after each notification.
  ///
  /// - Parameters:
  ///   - notifications: The notifications of the container, such as `container.notifications`.
  ///   - changed: Called after a notification led to a fetch.
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

  /// Creates the zone again, and saves all contacts of this device.
  ///
  /// Call this after the user has reset encryption, which deletes the zone.
  public func restore() async throws {
    changeToken = nil
    try await prepare()
    for contact in contacts.values { try await save(contact.anew) }
  }

  /// Fetches the names of the server's contacts that begin with a prefix.
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

  /// Shares a contact, or returns its existing share.
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

  /// Ends all shares, of single contacts or of the whole book.
  ///
  /// A participant leaves the share instead. The contacts are not read, so no keys are needed.
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

  /// Shares the whole book with a participant.
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
