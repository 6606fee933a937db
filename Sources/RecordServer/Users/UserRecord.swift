import CloudRecords
import CloudSchema
import RecordStorage

/// The record of each user in the public database, named like the user.
///
/// Clients can fetch user records and change their own, but cannot create them.
enum UserRecord {
  /// Creates the missing records of some users.
  static func make(
    of userRecordNames: [String], in realm: Realm, at time: Timestamp,
    _ transaction: any StorageWriting
  ) throws {
    guard !userRecordNames.isEmpty else { return }
    try change(in: realm, at: time, transaction) { draft in
      try draft.load(userRecordNames)
      for name in userRecordNames where try draft.record(name) == nil {
        let stamp = RecordStamp(time: time, userRecordName: name)
        draft.save(
          StoredRecord(
            recordName: name, recordType: SystemType.users.rawValue, tag: 0, created: stamp,
            modified: stamp,
            fields: RecordFields()))
      }
    }
  }

  /// Removes the record of a user whose account is removed, since it contains personal data.
  static func remove(
    of userRecordName: String, in realm: Realm, at time: Timestamp,
    _ transaction: any StorageWriting
  ) throws {
    try change(in: realm, at: time, transaction) { draft in
      if try draft.record(userRecordName) != nil { draft.delete(userRecordName) }
    }
  }

  private static func change(
    in realm: Realm, at time: Timestamp, _ transaction: any StorageWriting,
    _ body: (ZoneDraft) throws -> Void
  ) throws {
    let directory = ZoneDirectory(
      database: DatabaseKeys(realm: realm, owner: DatabaseKeys.publicOwner))
    let name = RecordZoneIdentifier.defaultZoneName
    let zone =
      try directory.zone(named: name, in: transaction)
      ?? directory.create(name, at: time, in: transaction)
    let keys = ZoneKeys(database: directory.database, number: zone.number)
    let draft = ZoneDraft(zone: zone, keys: keys, transaction: transaction)
    try body(draft)
    guard !draft.isEmpty else { return }
    _ = try draft.store(in: transaction, at: time)
    try draft.storeZone(in: transaction)
  }
}
