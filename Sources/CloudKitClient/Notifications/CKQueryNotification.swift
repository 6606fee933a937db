import CloudRecords

/// A notification that a record matching a query subscription has changed.
open class CKQueryNotification: CKNotification, @unchecked Sendable {
  /// The kinds of changes.
  public enum Reason: Int, Sendable {
    /// A record that matches the query was created.
    case recordCreated = 1
    /// A record that matches the query was modified.
    case recordUpdated = 2
    /// A record that matched the query was deleted.
    case recordDeleted = 3
  }

  /// The kind of the change.
  open var queryNotificationReason: Reason {
    payload.event.reason.flatMap { Reason(rawValue: $0) } ?? .recordUpdated
  }

  /// The ID of the record.
  open var recordID: CKRecord.ID? {
    payload.event.recordName.map { CKRecord.ID(received: $0, zoneID: payload.zoneID ?? .default) }
  }

  /// The values of the subscription's desired keys.
  open var recordFields: [String: any CKRecordValueProtocol]? {
    payload.event.fields.isEmpty ? nil : payload.event.fields.mapValues(\.value)
  }

  /// The database of the record.
  open var databaseScope: CKDatabaseScope { payload.event.scope }
}

/// A notification that a record zone has changed.
open class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
  /// The ID of the zone.
  open var recordZoneID: CKRecordZone.ID? { payload.zoneID }

  /// The database of the zone.
  open var databaseScope: CKDatabaseScope { payload.event.scope }
}

/// A notification that a database has changed.
open class CKDatabaseNotification: CKNotification, @unchecked Sendable {
  /// The database that changed.
  open var databaseScope: CKDatabaseScope { payload.event.scope }
}

extension CKNotification {
  /// Notifications for changes that a device may have missed before it listened: one for each
  /// database.
  static func ofWhatWasMissed(in container: String?) -> [CKDatabaseNotification] {
    [CKDatabaseScope.public, .private, .shared].map {
      CKDatabaseNotification(NotificationPayload(missedIn: $0, of: container))
    }
  }
}

extension NotificationPayload {
  /// The ID of the zone in the notification.
  var zoneID: CKRecordZone.ID? {
    event.zone.map { CKRecordZone.ID(received: $0.zoneName, ownerName: $0.ownerName) }
  }
}
