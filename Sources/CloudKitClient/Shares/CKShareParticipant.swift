public import Foundation
import Synchronization

extension CKShare {
  /// One who takes part in a share, or is asked to.
  public typealias Participant = CKShareParticipant
}

// Sendable: what can change is under the lock.
/// One who takes part in a share, or is asked to: `CKShare.Participant`.
open class CKShareParticipant: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// Who it is.
  public let userIdentity: CKUserIdentity
  /// How far the invitation has come.
  public let acceptanceStatus: CKShare.ParticipantAcceptanceStatus
  /// The share's own name for the participant.
  public let participantID: String
  /// Whether the participant asked to be let into the share, and was.
  public let isApprovedRequester: Bool

  private let terms: Mutex<Terms>

  private struct Terms {
    var role: CKShare.ParticipantRole
    var permission: CKShare.ParticipantPermission
  }

  package init(
    _ identity: CKUserIdentity, role: CKShare.ParticipantRole,
    permission: CKShare.ParticipantPermission,
    acceptance: CKShare.ParticipantAcceptanceStatus, participantID: String,
    isApprovedRequester: Bool = false
  ) {
    userIdentity = identity
    acceptanceStatus = acceptance
    self.participantID = participantID
    self.isApprovedRequester = isApprovedRequester
    terms = Mutex(Terms(role: role, permission: permission))
  }

  /// What the participant is to the share.
  open var role: CKShare.ParticipantRole {
    get { terms.withLock { $0.role } }
    set { terms.withLock { $0.role = newValue } }
  }

  /// What the participant may do with what is shared; saving the share makes a change of it count.
  open var permission: CKShare.ParticipantPermission {
    get { terms.withLock { $0.permission } }
    set { terms.withLock { $0.permission = newValue } }
  }

  // MARK: Archives

  /// Reads a participant from an archive; nil where it holds none.
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
    terms = Mutex(Terms(role: role, permission: permission))
  }

  /// Writes the participant into an archive.
  open func encode(with coder: NSCoder) {
    let terms = terms.withLock { $0 }
    coder.encode(userIdentity, forKey: Key.identity)
    coder.encode(participantID as NSString, forKey: Key.identifier)
    coder.encode(terms.role.rawValue, forKey: Key.role)
    coder.encode(terms.permission.rawValue, forKey: Key.permission)
    coder.encode(acceptanceStatus.rawValue, forKey: Key.acceptance)
    coder.encode(isApprovedRequester, forKey: Key.isApproved)
  }

  private enum Key {
    static let identity = "UserIdentity"
    static let identifier = "ParticipantID"
    static let role = "ParticipantRole"
    static let permission = "ParticipantPermission"
    static let acceptance = "AcceptanceStatus"
    static let isApproved = "IsApprovedRequester"
  }

  /// True: it holds names and numbers only.
  public static var supportsSecureCoding: Bool { true }

  /// Another participant of the same identity, which can be changed by itself.
  open func copy(with zone: NSZone? = nil) -> Any {
    let terms = terms.withLock { $0 }
    return CKShareParticipant(
      userIdentity, role: terms.role, permission: terms.permission, acceptance: acceptanceStatus,
      participantID: participantID, isApprovedRequester: isApprovedRequester)
  }

  // MARK: Identity

  /// Whether it is the same person.
  func isSamePerson(as other: CKShareParticipant) -> Bool {
    if !participantID.isEmpty, participantID == other.participantID { return true }
    return userIdentity.isSamePerson(as: other.userIdentity)
  }

  /// Two are equal where the same person may do the same.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKShareParticipant else { return false }
    return isSamePerson(as: other) && role == other.role && permission == other.permission
      && acceptanceStatus == other.acceptanceStatus
  }

  /// Equal ones have equal hashes.
  open override var hash: Int {
    role.rawValue &* 16 &+ permission.rawValue &* 4 &+ acceptanceStatus.rawValue
  }

  /// Who it is, and what they may do.
  open override var description: String {
    "<CKShareParticipant: \(userIdentity), role=\(role), permission=\(permission), acceptanceStatus=\(acceptanceStatus)>"
  }
}
