extension CKRecord {
  /// The record types that the server defines.
  public enum SystemType {
    /// The type of user records, of which each user has one.
    public static let userRecord: RecordType = "Users"
    /// The type of shares.
    public static let share: RecordType = "cloudkit.share"
  }

  /// The names of system fields in queries.
  public enum SystemFieldKey {
    /// The record ID.
    public static let recordID: FieldKey = "___recordID"
    /// The user who created the record.
    public static let creatorUserRecordID: FieldKey = "___createdBy"
    /// The time when the record was created.
    public static let creationDate: FieldKey = "___createTime"
    /// The user who last modified the record.
    public static let lastModifiedUserRecordID: FieldKey = "___modifiedBy"
    /// The time when the record was last modified.
    public static let modificationDate: FieldKey = "___modTime"
    /// The record's parent in a shared hierarchy.
    public static let parent: FieldKey = "___parent"
    /// The share whose root is the record.
    public static let share: FieldKey = "___share"
  }
}

/// The name of the parent field in queries.
public let CKRecordParentKey = CKRecord.SystemFieldKey.parent

/// The name of the share field in queries.
public let CKRecordShareKey = CKRecord.SystemFieldKey.share

/// The record type of shares.
public let CKRecordTypeShare = CKRecord.SystemType.share

/// The record type of users.
public let CKRecordTypeUserRecord = CKRecord.SystemType.userRecord
