import CloudKit
import Foundation

/// What a view shows of a person.
public protocol RenderableUserIdentity: Sendable {
  /// The person's name, if it is known.
  var nameComponents: PersonNameComponents? { get }
  /// The address to which the invitation went.
  var emailAddress: String? { get }
}

/// What a view shows of a participant of a share.
public protocol RenderableShareParticipant: Sendable {
  /// Who participates.
  var renderableUserIdentity: any RenderableUserIdentity { get }
  /// The part that the person has in the share.
  var role: CKShare.ParticipantRole { get }
  /// What the person may do.
  var permission: CKShare.ParticipantPermission { get }
  /// Whether the person has accepted.
  var acceptanceStatus: CKShare.ParticipantAcceptanceStatus { get }
  /// What distinguishes the participant from the others.
  var participantID: String { get }
}

/// What a view shows of a share.
public protocol RenderableShare: Sendable {
  /// What distinguishes the share from others.
  var identifier: String { get }
  /// The title.
  var title: String? { get }
  /// The link that an invitation contains.
  var url: URL? { get }
  /// All participants, with the owner.
  var renderableParticipants: [any RenderableShareParticipant] { get }
  /// What everyone with the link may do.
  var publicPermission: CKShare.ParticipantPermission { get }
  /// Whether the share belongs to this user.
  var isOwn: Bool { get }
}

extension RenderableShare {
  /// Whether only invited people can take part.
  public var isPrivate: Bool { publicPermission == .none }

  /// The title, or words for a share without one.
  public var displayTitle: String {
    guard let title, !title.isEmpty else { return "Untitled share" }
    return title
  }
}

extension CKUserIdentity: RenderableUserIdentity {
  /// The address by which the person was looked up.
  public var emailAddress: String? { lookupInfo?.emailAddress }
}

extension CKShareParticipant: RenderableShareParticipant {
  /// Who participates.
  public var renderableUserIdentity: any RenderableUserIdentity { userIdentity }
}

extension CKShare: RenderableShare {
  /// The zone of the share with its owner, because two users can have zones of one name.
  public var identifier: String {
    "\(recordID.zoneID.ownerName)/\(recordID.zoneID.zoneName)"
  }

  /// The title.
  public var title: String? { self[CKShare.SystemFieldKey.title] }

  /// All participants, with the owner.
  public var renderableParticipants: [any RenderableShareParticipant] { participants }

  /// Whether the share belongs to this user.
  public var isOwn: Bool { currentUserParticipant?.role == .owner }
}
