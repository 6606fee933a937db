import CloudEncryption
import CloudRecords
public import Foundation

extension CKShare {
  /// Information about a share and the current user's part in it.
  public typealias Metadata = CKShareMetadata
}

// Sendable: immutable.
/// Information about a share and the current user's part in it; also available as
/// `CKShare.Metadata`.
///
/// An app that receives a share's URL fetches the metadata and accepts the share:
///
/// ```swift
/// let metadata = try await container.shareMetadata(for: url)
/// let share = try await container.accept(metadata)
/// ```
open class CKShareMetadata: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The identifier of the share's container.
  public let containerIdentifier: String
  /// The share.
  public let share: CKShare
  /// The root record's ID; nil for a zone-wide share.
  public let hierarchicalRootRecordID: CKRecord.ID?
  /// The root record, if the operation fetched it.
  public let rootRecord: CKRecord?
  /// The current user's role.
  public let participantRole: CKShare.ParticipantRole
  /// The state of the current user's invitation.
  public let participantStatus: CKShare.ParticipantAcceptanceStatus
  /// The current user's permission.
  public let participantPermission: CKShare.ParticipantPermission
  /// The identity of the share's owner.
  public let ownerIdentity: CKUserIdentity

  /// The share's short identifier, by which requests name it.
  let shortIdentifier: String
  /// The secret part of the URL by which the metadata was fetched; nil for a URL without one.
  let link: ShareLink?

  init(
    containerIdentifier: String, shortIdentifier: String, share: CKShare, rootID: CKRecord.ID?,
    root: CKRecord?,
    role: CKShare.ParticipantRole, status: CKShare.ParticipantAcceptanceStatus,
    permission: CKShare.ParticipantPermission, owner: CKUserIdentity, link: ShareLink?
  ) {
    self.containerIdentifier = containerIdentifier
    self.shortIdentifier = shortIdentifier
    self.share = share
    hierarchicalRootRecordID = rootID
    rootRecord = root
    participantRole = role
    participantStatus = status
    participantPermission = permission
    ownerIdentity = owner
    self.link = link
  }

  /// The root record's ID, or the share's ID for a zone-wide share.
  @available(
    *, deprecated, message: "Use hierarchicalRootRecordID, which is nil for a zone-wide share."
  )
  open var rootRecordID: CKRecord.ID { hierarchicalRootRecordID ?? share.recordID }

  /// The current user's role.
  @available(*, deprecated, renamed: "participantRole")
  open var participantType: CKShare.ParticipantRole { participantRole }

  // MARK: Archives

  /// Creates metadata from an archive; nil if the archive contains none.
  public required init?(coder: NSCoder) {
    guard let containerIdentifier = coder.text(Key.container),
      let shortIdentifier = coder.text(Key.shortIdentifier),
      let share = coder.object(CKShare.self, Key.share),
      let owner = coder.object(CKUserIdentity.self, Key.owner),
      let role = CKShare.ParticipantRole(rawValue: coder.decodeInteger(forKey: Key.role)),
      let status = CKShare.ParticipantAcceptanceStatus(
        rawValue: coder.decodeInteger(forKey: Key.status)),
      let permission = CKShare.ParticipantPermission(
        rawValue: coder.decodeInteger(forKey: Key.permission))
    else { return nil }
    self.containerIdentifier = containerIdentifier
    self.shortIdentifier = shortIdentifier
    self.share = share
    hierarchicalRootRecordID = coder.object(CKRecord.ID.self, Key.rootID)
    rootRecord = coder.object(CKRecord.self, Key.root)
    participantRole = role
    participantStatus = status
    participantPermission = permission
    ownerIdentity = owner
    link = coder.text(Key.link).flatMap { ShareLink(fragment: $0) }
  }

  /// Encodes the metadata into an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(containerIdentifier as NSString, forKey: Key.container)
    coder.encode(shortIdentifier as NSString, forKey: Key.shortIdentifier)
    coder.encode(share, forKey: Key.share)
    coder.encode(ownerIdentity, forKey: Key.owner)
    if let hierarchicalRootRecordID { coder.encode(hierarchicalRootRecordID, forKey: Key.rootID) }
    if let rootRecord { coder.encode(rootRecord, forKey: Key.root) }
    if let link { coder.encode(link.fragment as NSString, forKey: Key.link) }
    coder.encode(participantRole.rawValue, forKey: Key.role)
    coder.encode(participantStatus.rawValue, forKey: Key.status)
    coder.encode(participantPermission.rawValue, forKey: Key.permission)
  }

  private enum Key {
    static let container = "ContainerIdentifier"
    static let shortIdentifier = "ShortIdentifier"
    static let share = "Share"
    static let owner = "OwnerIdentity"
    static let rootID = "RootRecordID"
    static let root = "RootRecord"
    static let role = "ParticipantRole"
    static let status = "ParticipantStatus"
    static let permission = "ParticipantPermission"
    static let link = "Link"
  }

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the metadata itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The share and the current user's part in it.
  open override var description: String {
    "<CKShareMetadata: \(share.recordID), participantRole=\(participantRole), participantStatus=\(participantStatus)>"
  }
}
