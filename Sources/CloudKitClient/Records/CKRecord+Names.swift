extension CKRecord {
  /// The types of records that the server makes itself.
  public enum SystemType {
    /// The one record of each user.
    public static let userRecord: RecordType = "Users"
    /// Shares.
    public static let share: RecordType = "cloudkit.share"
  }

  /// The names by which queries ask for what is no field.
  public enum SystemFieldKey {
    /// The record's name.
    public static let recordID: FieldKey = "___recordID"
    /// Who made the record.
    public static let creatorUserRecordID: FieldKey = "___createdBy"
    /// When the record was made.
    public static let creationDate: FieldKey = "___createTime"
    /// Who saved the record last.
    public static let lastModifiedUserRecordID: FieldKey = "___modifiedBy"
    /// When the record was last saved.
    public static let modificationDate: FieldKey = "___modTime"
    /// The record under which a record is shared.
    public static let parent: FieldKey = "___parent"
    /// The share of which a record is the root.
    public static let share: FieldKey = "___share"
  }
}

/// The name by which queries ask for the record under which records are shared.
public let CKRecordParentKey = CKRecord.SystemFieldKey.parent

/// The name by which queries ask for the share of which records are roots.
public let CKRecordShareKey = CKRecord.SystemFieldKey.share

/// The type of the records that are shares.
public let CKRecordTypeShare = CKRecord.SystemType.share

/// The type of the records that are users.
public let CKRecordTypeUserRecord = CKRecord.SystemType.userRecord
