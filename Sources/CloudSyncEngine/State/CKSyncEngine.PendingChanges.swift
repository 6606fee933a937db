public import CloudKitClient

extension CKSyncEngine {
  /// A pending change of a record.
  public enum PendingRecordZoneChange: Hashable, Sendable {
    /// The record is to be saved, in its state at the time of sending.
    case saveRecord(CKRecord.ID)
    /// The record is to be deleted.
    case deleteRecord(CKRecord.ID)

    var item: PendingList<CKRecord.ID>.Item {
      switch self {
      case .saveRecord(let recordID): .init(.save, recordID)
      case .deleteRecord(let recordID): .init(.delete, recordID)
      }
    }

    init(_ item: PendingList<CKRecord.ID>.Item) {
      switch item.kind {
      case .save: self = .saveRecord(item.name)
      case .delete: self = .deleteRecord(item.name)
      }
    }
  }

  /// A pending change of a zone.
  public enum PendingDatabaseChange: Hashable, Sendable {
    /// The zone is to be created.
    case saveZone(CKRecordZone)
    /// The zone is to be deleted with all its records.
    case deleteZone(CKRecordZone.ID)

    var item: PendingList<CKRecordZone.ID>.Item {
      switch self {
      case .saveZone(let zone): .init(.save, zone.zoneID)
      case .deleteZone(let zoneID): .init(.delete, zoneID)
      }
    }

    init(_ item: PendingList<CKRecordZone.ID>.Item) {
      switch item.kind {
      case .save: self = .saveZone(CKRecordZone(zoneID: item.name))
      case .delete: self = .deleteZone(item.name)
      }
    }

    /// Whether two changes have the same kind and zone.
    public static func == (one: Self, other: Self) -> Bool { one.item == other.item }

    /// Hashes the kind and the zone.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(item.kind)
      hasher.combine(item.name)
    }
  }
}
