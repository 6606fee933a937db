import CloudRecords

/// Word that something happened to a record that a query's subscription describes.
open class CKQueryNotification: CKNotification, @unchecked Sendable {
  /// What happened to a record.
  public enum Reason: Int, Sendable {
    /// It was made, or came to be what the query describes.
    case recordCreated = 1
    /// It was changed.
    case recordUpdated = 2
    /// It was deleted, or ceased to be what the query describes.
    case recordDeleted = 3
  }

  /// What happened to the record.
  open var queryNotificationReason: Reason {
    payload.event.reason.flatMap { Reason(rawValue: $0) } ?? .recordUpdated
  }

  /// The record.
  open var recordID: CKRecord.ID? {
    payload.event.recordName.map { CKRecord.ID(received: $0, zoneID: payload.zoneID ?? .default) }
  }

  /// The values of the fields that the subscription asked for.
  open var recordFields: [String: any CKRecordValueProtocol]? {
    payload.event.fields.isEmpty ? nil : payload.event.fields.mapValues(\.value)
  }

  /// The database in which it happened.
  open var databaseScope: CKDatabaseScope { payload.event.scope }
}

/// Word that something changed in a zone.
open class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
  /// The zone.
  open var recordZoneID: CKRecordZone.ID? { payload.zoneID }

  /// The database in which the zone lies.
  open var databaseScope: CKDatabaseScope { payload.event.scope }
}

/// Word that something changed in a database.
open class CKDatabaseNotification: CKNotification, @unchecked Sendable {
  /// The database.
  open var databaseScope: CKDatabaseScope { payload.event.scope }
}

extension CKNotification {
  /// What stands for all that a device may have missed before it listened: one for each database.
  static func ofWhatWasMissed(in container: String?) -> [CKDatabaseNotification] {
    [CKDatabaseScope.public, .private, .shared].map {
      CKDatabaseNotification(NotificationPayload(missedIn: $0, of: container))
    }
  }
}

extension NotificationPayload {
  /// The zone that the notification names.
  fileprivate var zoneID: CKRecordZone.ID? {
    event.zone.map { CKRecordZone.ID(received: $0.zoneName, ownerName: $0.ownerName) }
  }
}
