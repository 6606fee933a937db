extension CKSyncEngine {
  /// What is to be sent of a record.
  public enum PendingRecordZoneChange: Hashable, Sendable {
    /// The record as it is when it is sent.
    case saveRecord(CKRecord.ID)
    /// That it is deleted.
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

  /// What is to be sent of a zone.
  public enum PendingDatabaseChange: Hashable, Sendable {
    /// That it is made.
    case saveZone(CKRecordZone)
    /// That it is deleted, with everything in it.
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

    /// Changes are equal where they do the same to a zone of the same name.
    public static func == (one: Self, other: Self) -> Bool { one.item == other.item }

    /// Equal changes have equal hashes.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(item.kind)
      hasher.combine(item.name)
    }
  }
}
