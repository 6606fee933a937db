import CloudRecords
import RecordStorage

/// Finds the zones of a database for a caller.
struct ZoneFinder {
  let call: Call

  /// Finds the zone for an identifier from a client.
  ///
  /// - Throws: `ZONE_NOT_FOUND` if it does not exist or the caller may not know of it; other errors
  ///   if the caller has no access to the database.
  func find(_ identifier: RecordZoneIdentifier, in transaction: any StorageReading) throws
    -> ZoneAccess
  {
    try Self.check(identifier)
    switch call.scope {
    case .public: return try publicZone(identifier, in: transaction)
    case .private: return try ownZone(identifier, in: transaction)
    case .shared: return try sharedZone(identifier, in: transaction)
    }
  }

  /// Finds a zone for a write, and creates a default zone that does not exist yet.
  func findToWrite(_ identifier: RecordZoneIdentifier, in transaction: any StorageWriting) throws
    -> ZoneAccess
  {
    let found = try find(identifier, in: transaction)
    guard found.zone == .implicitDefault else { return found }
    let directory = ZoneDirectory(database: found.keys.database)
    _ = try directory.create(identifier.zoneName, at: found.zone.created, in: transaction)
    return try find(identifier, in: transaction)
  }

  /// The owner whose partition contains the zone.
  func partition(of identifier: RecordZoneIdentifier) -> String {
    call.scope == .public ? DatabaseKeys.publicOwner : identifier.ownerName
  }

  /// Throws for zone and owner names that are too long.
  static func check(_ identifier: RecordZoneIdentifier) throws(CloudError) {
    for (name, what) in [
      (identifier.zoneName, "zone name"), (identifier.ownerName, "owner's name"),
    ]
    where name.utf8.count > Limits.nameBytes {
      throw CloudError(
        .badRequest,
        "The \(what) “\(name.asNameInSentence)” is longer than \(Limits.nameBytes) bytes.")
    }
  }

  static func reset(_ identifier: RecordZoneIdentifier) -> CloudError {
    CloudError(
      .zoneNotFound,
      "The keys of the zone “\(identifier.zoneName)” are lost, and with them its contents. Create the zone again, and save the device's records again.",
      extension: .encryptedDataReset)
  }

  /// The error for a zone that the caller knew, and that was deleted since.
  static func deleted(_ identifier: RecordZoneIdentifier) -> CloudError {
    CloudError(
      .zoneNotFound,
      "The zone “\(identifier.zoneName)” was deleted. Ask the user before its records are saved again.",
      extension: .userDeletedZone)
  }

  static func notFound(_ identifier: RecordZoneIdentifier) -> CloudError {
    CloudError(
      .zoneNotFound,
      "There is no zone “\(identifier.zoneName)” of \(identifier.ownerName) in this database.")
  }

  // MARK: The three databases

  private func publicZone(
    _ identifier: RecordZoneIdentifier, in transaction: any StorageReading
  ) throws -> ZoneAccess {
    guard identifier.isDefaultZone else { throw Self.notFound(identifier) }
    let database = DatabaseKeys(realm: call.realm, owner: DatabaseKeys.publicOwner)
    return try access(identifier, in: database, view: .everyone, transaction)
  }

  private func ownZone(
    _ identifier: RecordZoneIdentifier, in transaction: any StorageReading
  ) throws -> ZoneAccess {
    let isOwn = identifier.ownerName == call.caller.userRecordName
    let subject: Subject =
      isOwn ? .own(identifier.isDefaultZone ? .defaultZone : .customZone) : .otherPrivateDatabase
    let permission = Permission.decide(.seeZone, by: call.caller, on: subject)
    if let error = permission.error(hiding: Self.notFound(identifier)) { throw error }
    let database = DatabaseKeys(realm: call.realm, owner: identifier.ownerName)
    return try access(identifier, in: database, view: .own, transaction)
  }

  private func sharedZone(
    _ identifier: RecordZoneIdentifier, in transaction: any StorageReading
  ) throws -> ZoneAccess {
    guard case .user(let user) = call.caller, user != identifier.ownerName else {
      let subject = Subject.others(.outsider, .outsideTree)
      let permission = Permission.decide(.seeZone, by: call.caller, on: subject)
      throw permission.error(hiding: Self.notFound(identifier)) ?? Self.notFound(identifier)
    }
    let memberships = Memberships(realm: call.realm, user: user)
    guard let membership = try memberships.membership(in: identifier, transaction),
      let access = try memberships.access(by: membership, transaction)
    else { throw Self.notFound(identifier) }
    return access
  }

  /// The access to a zone by its name.
  ///
  /// The default zone exists before anything is stored in it.
  private func access(
    _ identifier: RecordZoneIdentifier, in database: DatabaseKeys, view: ZoneAccess.View,
    _ transaction: any StorageReading
  ) throws -> ZoneAccess {
    let directory = ZoneDirectory(database: database)
    var stored = try directory.zone(named: identifier.zoneName, in: transaction)
    if stored == nil, identifier.isDefaultZone { stored = .implicitDefault }
    guard let zone = stored else {
      throw try directory.wasReset(identifier.zoneName, in: transaction)
        ? Self.reset(identifier) : Self.notFound(identifier)
    }
    return ZoneAccess(
      identifier: identifier, keys: ZoneKeys(database: database, number: zone.number), zone: zone,
      view: view)
  }
}

extension StoredZone {
  /// A default zone that was never written.
  ///
  /// No stored zone has its number.
  fileprivate static var implicitDefault: StoredZone {
    StoredZone(
      number: 0, name: RecordZoneIdentifier.defaultZoneName, created: Timestamp(milliseconds: 0))
  }
}
