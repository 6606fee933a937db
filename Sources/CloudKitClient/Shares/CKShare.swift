public import Foundation
import Synchronization

/// A record that says with whom something is shared, and what they may do with it.
///
/// What is shared is either a record with all that lie under it by their `parent`, or a whole zone.
/// Save a share of a record together with the record.
///
/// ```swift
/// let share = CKShare(rootRecord: album)
/// share[CKShare.SystemFieldKey.title] = "Summer"
/// share.publicPermission = .readOnly
/// try await database.modifyRecords(saving: [album, share], deleting: [])
/// ```
open class CKShare: CKRecord, @unchecked Sendable {
  /// A share of a record and of all that lie under it.
  ///
  /// - Precondition: The record lies in a zone that somebody made: what is in the default zone
  ///   cannot be shared.
  public convenience init(rootRecord: CKRecord) {
    let name = "Share-\(UUID().uuidString)"
    self.init(
      rootRecord: rootRecord,
      shareID: CKRecord.ID(recordName: name, zoneID: rootRecord.recordID.zoneID))
  }

  /// A share of a record and of all that lie under it, with a name of its own.
  ///
  /// - Precondition: Record and share lie in the same zone, which is not the default one.
  public init(rootRecord: CKRecord, shareID: CKRecord.ID) {
    let root = rootRecord.recordID
    precondition(
      root.zoneID == shareID.zoneID,
      "The share \(shareID.recordName) lies in the zone \(shareID.zoneID), its root \(root.recordName) in \(root.zoneID). Put both into one."
    )
    CKShare.requireZone(shareID.zoneID)
    var state = RecordState(recordType: CKRecord.SystemType.share, recordID: shareID)
    state.sharing = Sharing(root: root, participants: [.owner()])
    super.init(state)
    rootRecord.belong(to: CKRecord.Reference(recordID: shareID, action: .none))
  }

  /// A share of everything in a zone.
  ///
  /// - Precondition: It is a zone that somebody made.
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
      "What is in the default zone cannot be shared. Save it in a zone that you make.")
  }

  /// Reads a share from an archive; nil where it holds none.
  ///
  /// One whose system fields alone were archived has its participants.
  public required init?(coder: NSCoder) {
    guard let state = RecordState(coder: coder), state.sharing != nil else { return nil }
    super.init(state)
  }

  /// A share with the same name, values and participants, which can be changed by itself.
  open override func copy(with zone: NSZone? = nil) -> Any {
    var state = state.withLock { $0 }
    state.sharing = state.sharing?.copied()
    return CKShare(state)
  }

  // MARK: Participants

  func sharing<Result: Sendable>(_ read: (Sharing) -> Result) -> Result {
    read(state.withLock { $0.sharing } ?? Sharing(root: nil, participants: [.owner()]))
  }

  /// What everybody who has the address may do: nothing where the share is for those alone who were
  /// invited.
  ///
  /// A share that is opened forgets the invitations that nobody has answered; one that is closed
  /// again sends those away who came by its address.
  open var publicPermission: ParticipantPermission {
    get { sharing(\.publicPermission) }
    set { state.withLock { $0.sharing?.setPublicPermission(newValue) } }
  }

  /// Where others find the share; nil until it was saved.
  open var url: URL? { sharing(\.url) }

  /// All who take part, and who are asked to: the owner first.
  ///
  /// Who takes part only by the address sees the owner and themselves.
  open var participants: [Participant] { sharing(\.participants) }

  /// The one whose data it is.
  open var owner: Participant {
    participants.first { $0.role == .owner } ?? .owner()
  }

  /// Whoever is signed in, where they take part.
  open var currentUserParticipant: Participant? {
    participants.first { $0.userIdentity.userRecordID?.recordName == CKCurrentUserDefaultName }
  }

  /// Invites somebody, or changes what one who is invited may do.
  ///
  /// - Precondition: The share is not open to everybody who has its address.
  open func addParticipant(_ participant: Participant) {
    precondition(
      publicPermission == .none,
      "The share \(recordID.recordName) is open to everybody who has its address. Set publicPermission to none before you invite somebody."
    )
    state.withLock { $0.sharing?.add(participant) }
  }

  /// Sends somebody away, or takes an invitation back.
  ///
  /// - Precondition: It is not the owner.
  open func removeParticipant(_ participant: Participant) {
    precondition(
      !owner.isSamePerson(as: participant),
      "The owner of a share cannot be sent away. Delete the share to end it.")
    state.withLock { $0.sharing?.remove(participant) }
  }
}

extension CKRecord {
  /// Notes the share of which the record is the root.
  fileprivate final func belong(to share: CKRecord.Reference) {
    state.withLock { $0.share = share }
  }
}

extension CKShareParticipant {
  /// Whoever is signed in, as the owner of a new share.
  fileprivate static func owner() -> CKShareParticipant {
    CKShareParticipant(
      CKUserIdentity(userRecordID: CKRecord.ID(recordName: CKCurrentUserDefaultName)), role: .owner,
      permission: .readWrite, acceptance: .accepted, participantID: "")
  }
}
