public import Foundation
import Synchronization

extension CKShare {
  /// A participant of a share, invited or accepted.
  public typealias Participant = CKShareParticipant
}

// Sendable: mutable values are under the lock.
/// A participant of a share, invited or accepted; also available as `CKShare.Participant`.
open class CKShareParticipant: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The participant's identity.
  public let userIdentity: CKUserIdentity
  /// The state of the invitation.
  public let acceptanceStatus: CKShare.ParticipantAcceptanceStatus
  /// The participant's identifier within the share.
  public let participantID: String
  /// Whether the participant requested access and was approved.
  public let isApprovedRequester: Bool
  /// When the participant was added to the share; nil until the share is saved.
  ///
  /// The owner and administrators see the dates of all participants. Others see only the owner's
  /// and their own.
  public let dateAddedToShare: Date?
  /// Whether the participant is the first person who uses ``CKShare/oneTimeURL(for:)``.
  let isOneTime: Bool
  /// The participant's own link; nil if there is none, or if it is unknown.
  let oneTimeURL: URL?
  /// The proof that the participant has the share's link.
  let joinProof: [UInt8]?

  private let terms: Mutex<Terms>

  private struct Terms {
    var role: CKShare.ParticipantRole
    var permission: CKShare.ParticipantPermission
  }

  package init(
    _ identity: CKUserIdentity, role: CKShare.ParticipantRole,
    permission: CKShare.ParticipantPermission,
    acceptance: CKShare.ParticipantAcceptanceStatus, participantID: String,
    isApprovedRequester: Bool = false, added: Date? = nil, isOneTime: Bool = false,
    oneTimeURL: URL? = nil, joinProof: [UInt8]? = nil
  ) {
    userIdentity = identity
    acceptanceStatus = acceptance
    self.participantID = participantID
    self.isApprovedRequester = isApprovedRequester
    dateAddedToShare = added
    self.isOneTime = isOneTime
    self.oneTimeURL = oneTimeURL
    self.joinProof = joinProof
    terms = Mutex(Terms(role: role, permission: permission))
  }

  /// The participant's role.
  open var role: CKShare.ParticipantRole {
    get { terms.withLock { $0.role } }
    set { terms.withLock { $0.role = newValue } }
  }

  /// The participant's role.
  @available(*, deprecated, renamed: "role")
  open var type: CKShare.ParticipantRole {
    get { role }
    set { role = newValue }
  }

  /// The participant's permission.
  ///
  /// Save the share to apply a change.
  open var permission: CKShare.ParticipantPermission {
    get { terms.withLock { $0.permission } }
    set { terms.withLock { $0.permission = newValue } }
  }

  // MARK: Archives

  /// Creates a participant from an archive; nil if the archive contains none.
  public required init?(coder: NSCoder) {
    guard let identity = coder.object(CKUserIdentity.self, Key.identity),
      let participantID = coder.text(Key.identifier),
      let role = CKShare.ParticipantRole(rawValue: coder.decodeInteger(forKey: Key.role)),
      let permission = CKShare.ParticipantPermission(
        rawValue: coder.decodeInteger(forKey: Key.permission)),
      let acceptance = CKShare.ParticipantAcceptanceStatus(
        rawValue: coder.decodeInteger(forKey: Key.acceptance))
    else { return nil }
    userIdentity = identity
    acceptanceStatus = acceptance
    self.participantID = participantID
    isApprovedRequester =
      coder.containsValue(forKey: Key.isApproved) && coder.decodeBool(forKey: Key.isApproved)
    dateAddedToShare = coder.object(NSDate.self, Key.added).map { $0 as Date }
    isOneTime =
      coder.containsValue(forKey: Key.isOneTime) && coder.decodeBool(forKey: Key.isOneTime)
    oneTimeURL = coder.text(Key.oneTimeURL).flatMap { URL(string: $0) }
    joinProof = nil
    terms = Mutex(Terms(role: role, permission: permission))
  }

  /// Encodes the participant into an archive.
  open func encode(with coder: NSCoder) {
    let terms = terms.withLock { $0 }
    coder.encode(userIdentity, forKey: Key.identity)
    coder.encode(participantID as NSString, forKey: Key.identifier)
    coder.encode(terms.role.rawValue, forKey: Key.role)
    coder.encode(terms.permission.rawValue, forKey: Key.permission)
    coder.encode(acceptanceStatus.rawValue, forKey: Key.acceptance)
    coder.encode(isApprovedRequester, forKey: Key.isApproved)
    if let dateAddedToShare { coder.encode(dateAddedToShare as NSDate, forKey: Key.added) }
    if isOneTime { coder.encode(true, forKey: Key.isOneTime) }
    if let oneTimeURL {
      coder.encode(oneTimeURL.absoluteString as NSString, forKey: Key.oneTimeURL)
    }
  }

  private enum Key {
    static let identity = "UserIdentity"
    static let identifier = "ParticipantID"
    static let role = "ParticipantRole"
    static let permission = "ParticipantPermission"
    static let acceptance = "AcceptanceStatus"
    static let isApproved = "IsApprovedRequester"
    static let added = "DateAddedToShare"
    static let isOneTime = "IsOneTime"
    static let oneTimeURL = "OneTimeURL"
  }

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns an independent participant with the same values.
  open func copy(with zone: NSZone? = nil) -> Any {
    let terms = terms.withLock { $0 }
    return CKShareParticipant(
      userIdentity, role: terms.role, permission: terms.permission, acceptance: acceptanceStatus,
      participantID: participantID, isApprovedRequester: isApprovedRequester,
      added: dateAddedToShare, isOneTime: isOneTime, oneTimeURL: oneTimeURL, joinProof: joinProof)
  }

  // MARK: Identity

  /// Whether both participants are the same person.
  package func isSamePerson(as other: CKShareParticipant) -> Bool {
    if !participantID.isEmpty, participantID == other.participantID { return true }
    return userIdentity.isSamePerson(as: other.userIdentity)
  }

  /// Whether two participants are the same person with the same role, permission and state.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKShareParticipant else { return false }
    return isSamePerson(as: other) && role == other.role && permission == other.permission
      && acceptanceStatus == other.acceptanceStatus
  }

  /// A hash that is the same for equal participants.
  open override var hash: Int {
    role.rawValue &* 16 &+ permission.rawValue &* 4 &+ acceptanceStatus.rawValue
  }

  /// The participant's identity, role, permission and state.
  open override var description: String {
    "<CKShareParticipant: \(userIdentity), role=\(role), permission=\(permission), acceptanceStatus=\(acceptanceStatus)>"
  }
}

extension CKShareParticipant: Identifiable {
  /// The participant's identifier within the share.
  public var id: String { participantID }
}
