extension CKShare {
  /// The names of the fields by which a share shows itself.
  public enum SystemFieldKey {
    /// What the share is called, a text.
    public static let title: CKRecord.FieldKey = "cloudkit.title"
    /// A small picture, data.
    public static let thumbnailImageData: CKRecord.FieldKey = "cloudkit.thumbnailImageData"
    /// What kind of thing is shared, as the name of a type.
    public static let shareType: CKRecord.FieldKey = "cloudkit.type"
  }

  /// What a participant may do with what is shared.
  public enum ParticipantPermission: Int, Sendable {
    /// It is not known.
    case unknown = 0
    /// Nothing.
    case none = 1
    /// Look at it.
    case readOnly = 2
    /// Look at it and change it.
    case readWrite = 3
  }

  /// What a participant is to a share.
  public enum ParticipantRole: Int, Sendable {
    /// It is not known.
    case unknown = 0
    /// The one whose data it is.
    case owner = 1
    /// One who may invite others and send them away.
    case administrator = 2
    /// One who was invited.
    case privateUser = 3
    /// One who came by the link of a share that is open to everybody who has it.
    case publicUser = 4
  }

  /// How far an invitation has come.
  public enum ParticipantAcceptanceStatus: Int, Sendable {
    /// It is not known.
    case unknown = 0
    /// It was not answered.
    case pending = 1
    /// It was accepted.
    case accepted = 2
    /// The participant left or was sent away.
    case removed = 3
  }
}

/// The name of the field with a share's title.
public let CKShareTitleKey = CKShare.SystemFieldKey.title

/// The name of the field with a share's picture.
public let CKShareThumbnailImageDataKey = CKShare.SystemFieldKey.thumbnailImageData

/// The name of the field with a share's type.
public let CKShareTypeKey = CKShare.SystemFieldKey.shareType
