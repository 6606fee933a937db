extension CKShare {
  /// The fields that describe a share to users.
  public enum SystemFieldKey {
    /// The share's title, a string.
    public static let title: CKRecord.FieldKey = "cloudkit.title"
    /// The share's thumbnail image, as data.
    public static let thumbnailImageData: CKRecord.FieldKey = "cloudkit.thumbnailImageData"
    /// The kind of the shared content, as a uniform type identifier.
    public static let shareType: CKRecord.FieldKey = "cloudkit.type"
  }

  /// The permissions of a participant.
  public enum ParticipantPermission: Int, Sendable {
    /// The permission is unknown.
    case unknown = 0
    /// The participant has no access.
    case none = 1
    /// The participant may read.
    case readOnly = 2
    /// The participant may read and write.
    case readWrite = 3
  }

  /// The roles of a participant.
  public enum ParticipantRole: Int, Sendable {
    /// The role is unknown.
    case unknown = 0
    /// The owner of the shared records.
    case owner = 1
    /// A participant who may add and remove others.
    case administrator = 2
    /// A participant who was invited.
    case privateUser = 3
    /// A participant who joined by the link of a public share.
    case publicUser = 4
  }

  /// The roles of a participant.
  @available(*, deprecated, renamed: "ParticipantRole")
  public typealias ParticipantType = ParticipantRole

  /// The states of an invitation.
  public enum ParticipantAcceptanceStatus: Int, Sendable {
    /// The state is unknown.
    case unknown = 0
    /// The invitation is not answered.
    case pending = 1
    /// The invitation was accepted.
    case accepted = 2
    /// The participant left or was removed.
    case removed = 3
  }
}

/// The field of a share's title.
public let CKShareTitleKey = CKShare.SystemFieldKey.title

/// The field of a share's thumbnail image.
public let CKShareThumbnailImageDataKey = CKShare.SystemFieldKey.thumbnailImageData

/// The field of a share's type.
public let CKShareTypeKey = CKShare.SystemFieldKey.shareType
