public import Foundation
import Synchronization

/// A record that shares other records with participants and defines their permissions.
///
/// A share covers either a root record with all its descendants by `parent`, or a whole zone. Save
/// the share of a root record together with that record.
///
/// ```swift
/// let share = CKShare(rootRecord: album)
/// share[CKShare.SystemFieldKey.title] = "Summer"
/// share.publicPermission = .readOnly
/// try await database.modifyRecords(saving: [album, share], deleting: [])
/// ```
open class CKShare: CKRecord, @unchecked Sendable {
  /// Creates a share of a root record and its descendants.
  ///
  /// - Precondition: The record is in a custom zone. The default zone cannot be shared.
  public convenience init(rootRecord: CKRecord) {
    let name = "Share-\(UUID().uuidString)"
    self.init(
      rootRecord: rootRecord,
      shareID: CKRecord.ID(recordName: name, zoneID: rootRecord.recordID.zoneID))
  }

  /// Creates a share of a root record and its descendants, with a given ID.
  ///
  /// - Precondition: The record and the share are in the same custom zone.
  public init(rootRecord: CKRecord, shareID: CKRecord.ID) {
    let root = rootRecord.recordID
    precondition(
      root.zoneID == shareID.zoneID,
      "The share \(shareID.recordName) is in the zone \(shareID.zoneID), but its root \(root.recordName) is in \(root.zoneID). Use the same zone for both."
    )
    CKShare.requireZone(shareID.zoneID)
    var state = RecordState(recordType: CKRecord.SystemType.share, recordID: shareID)
    state.sharing = Sharing(root: root, participants: [.owner()])
    super.init(state)
    rootRecord.belong(to: CKRecord.Reference(recordID: shareID, action: .none))
  }

  /// Creates a zone-wide share.
  ///
  /// - Precondition: The zone is a custom zone.
  public init(recordZoneID: CKRecordZone.ID) {
    CKShare.requireZone(recordZoneID)
    var state = RecordState(
      recordType: CKRecord.SystemType.share,
      recordID: CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID))
    state.sharing = Sharing(root: nil, participants: [.owner()])
    super.init(state)
  }

  override init(_ state: RecordState) { super.init(state) }

  private static func requireZone(_ zoneID: CKRecordZone.ID) {
    precondition(
      zoneID.zoneName != CKRecordZoneDefaultName,
      "The default zone cannot be shared. Save the record in a custom zone.")
  }

  /// Creates a share from an archive; nil if the archive contains none.
  ///
  /// The system fields of a share include its participants.
  public required init?(coder: NSCoder) {
    guard let state = RecordState(coder: coder), state.sharing != nil else { return nil }
    super.init(state)
  }

  /// Returns an independent share with the same ID, values and participants.
  open override func copy(with zone: NSZone? = nil) -> Any {
    var state = state.withLock { $0 }
    state.sharing = state.sharing?.copied()
    return CKShare(state)
  }

  // MARK: Participants

  func sharing<Result: Sendable>(_ read: (Sharing) -> Result) -> Result {
    read(state.withLock { $0.sharing } ?? Sharing(root: nil, participants: [.owner()]))
  }

  /// The permission of everyone who has the URL; `none` for a private share.
  ///
  /// Making a share public removes pending invitations; participants who have accepted stay. Making
  /// it private removes all participants but the owner. Participants who are added afterwards,
  /// before the share is saved, are invited.
  open var publicPermission: ParticipantPermission {
    get { sharing(\.publicPermission) }
    set { state.withLock { $0.sharing?.setPublicPermission(newValue) } }
  }

  /// The URL of the share; nil until it is saved.
  open var url: URL? { sharing(\.url) }

  /// The participants, with the owner first.
  ///
  /// Only the owner and administrators see everyone. Other participants see the owner and
  /// themselves.
  open var participants: [Participant] { sharing(\.participants) }

  /// The owner of the shared records.
  open var owner: Participant {
    participants.first { $0.role == .owner } ?? .owner()
  }

  /// The current user's participant; nil if the user does not participate.
  open var currentUserParticipant: Participant? {
    participants.first { $0.userIdentity.userRecordID?.recordName == CKCurrentUserDefaultName }
  }

  /// Invites a user, or changes a participant's permission.
  ///
  /// - Precondition: The share is private.
  open func addParticipant(_ participant: Participant) {
    precondition(
      publicPermission == .none,
      "The share \(recordID.recordName) is public. Set publicPermission to none before adding participants."
    )
    state.withLock { $0.sharing?.add(participant) }
  }

  /// Removes a participant or withdraws an invitation.
  ///
  /// - Precondition: The participant is not the owner.
  open func removeParticipant(_ participant: Participant) {
    precondition(
      !owner.isSamePerson(as: participant),
      "The owner of a share cannot be removed. Delete the share to end it.")
    state.withLock { $0.sharing?.remove(participant) }
  }
}

extension CKRecord {
  /// Sets the share whose root is this record.
  fileprivate final func belong(to share: CKRecord.Reference) {
    state.withLock { $0.share = share }
  }
}

extension CKShareParticipant {
  /// The current user as the owner of a new share.
  fileprivate static func owner() -> CKShareParticipant {
    CKShareParticipant(
      CKUserIdentity(userRecordID: CKRecord.ID(recordName: CKCurrentUserDefaultName)), role: .owner,
      permission: .readWrite, acceptance: .accepted, participantID: "")
  }
}
