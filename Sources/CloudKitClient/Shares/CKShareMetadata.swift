import CloudRecords
public import Foundation

extension CKShare {
  /// What a share's address leads to.
  public typealias Metadata = CKShareMetadata
}

// Sendable: immutable.
/// What a share's address leads to: `CKShare.Metadata`.
///
/// Whoever gets an address looks at the share by it, and accepts it:
///
/// ```swift
/// let metadata = try await container.shareMetadata(for: url)
/// let share = try await container.accept(metadata)
/// ```
open class CKShareMetadata: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The container in which the share is.
  public let containerIdentifier: String
  /// The share.
  public let share: CKShare
  /// The record that is shared with everything under it; nil where a whole zone is shared.
  public let hierarchicalRootRecordID: CKRecord.ID?
  /// That record, where the operation was asked to fetch it.
  public let rootRecord: CKRecord?
  /// What whoever is signed in is to the share.
  public let participantRole: CKShare.ParticipantRole
  /// How far the invitation of whoever is signed in has come.
  public let participantStatus: CKShare.ParticipantAcceptanceStatus
  /// What whoever is signed in may do.
  public let participantPermission: CKShare.ParticipantPermission
  /// Whose data it is.
  public let ownerIdentity: CKUserIdentity

  /// The server's short name for the share, by which it is accepted.
  let shortIdentifier: String

  init(
    containerIdentifier: String, shortIdentifier: String, share: CKShare, rootID: CKRecord.ID?,
    root: CKRecord?,
    role: CKShare.ParticipantRole, status: CKShare.ParticipantAcceptanceStatus,
    permission: CKShare.ParticipantPermission, owner: CKUserIdentity
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
  }

  /// The record that is shared, or the share of the zone.
  @available(
    *, deprecated,
    message: "Use hierarchicalRootRecordID, which is nil where a whole zone is shared."
  )
  open var rootRecordID: CKRecord.ID { hierarchicalRootRecordID ?? share.recordID }

  /// What whoever is signed in is to the share.
  @available(*, deprecated, renamed: "participantRole")
  open var participantType: CKShare.ParticipantRole { participantRole }

  // MARK: Archives

  /// Reads what an address led to from an archive; nil where it holds none.
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
  }

  /// Writes what the address led to into an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(containerIdentifier as NSString, forKey: Key.container)
    coder.encode(shortIdentifier as NSString, forKey: Key.shortIdentifier)
    coder.encode(share, forKey: Key.share)
    coder.encode(ownerIdentity, forKey: Key.owner)
    if let hierarchicalRootRecordID { coder.encode(hierarchicalRootRecordID, forKey: Key.rootID) }
    if let rootRecord { coder.encode(rootRecord, forKey: Key.root) }
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
  }

  /// True: everything in it is.
  public static var supportsSecureCoding: Bool { true }

  /// The same: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The share and what whoever is signed in is to it.
  open override var description: String {
    "<CKShareMetadata: \(share.recordID), participantRole=\(participantRole), participantStatus=\(participantStatus)>"
  }
}
