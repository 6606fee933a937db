import CloudKit
import Foundation

/// A person, as a view shows them.
public protocol RenderableUserIdentity: Sendable {
  /// The person's name, if it is known.
  var nameComponents: PersonNameComponents? { get }
  /// The e-mail address to which the invitation went.
  var emailAddress: String? { get }
}

/// A participant of a share, as a view shows them.
public protocol RenderableShareParticipant: Sendable {
  /// The person, or the people, who take part.
  var renderableUserIdentity: any RenderableUserIdentity { get }
  /// The role of the person in the share.
  var role: CKShare.ParticipantRole { get }
  /// The permission of the person.
  var permission: CKShare.ParticipantPermission { get }
  /// The person's response to the invitation.
  var acceptanceStatus: CKShare.ParticipantAcceptanceStatus { get }
  /// The identifier of the participant.
  var participantID: String { get }
}

/// A share, as a view shows it.
public protocol RenderableShare: Sendable {
  /// The identifier of the share.
  var identifier: String { get }
  /// The title.
  var title: String? { get }
  /// The link that an invitation contains.
  var url: URL? { get }
  /// All participants, with the owner.
  var renderableParticipants: [any RenderableShareParticipant] { get }
  /// The permission of everyone with the link.
  var publicPermission: CKShare.ParticipantPermission { get }
  /// Whether the share belongs to this user.
  var isOwn: Bool { get }
}

extension RenderableShare {
  /// Whether only invited people can take part.
  public var isPrivate: Bool { publicPermission == .none }

  /// The title, or a placeholder if the share has none.
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
  /// The person, or the people, who take part.
  public var renderableUserIdentity: any RenderableUserIdentity { userIdentity }
}

extension CKShare: RenderableShare {
  /// The owner and the zone of the share, because two users can have zones with the same name.
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
