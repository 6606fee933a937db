import CloudKit
import Foundation

/// The participants of a share.
@MainActor public final class ParticipantsModel {
  /// One row of the list.
  public struct Row: Equatable, Sendable {
    /// The name or address of the person.
    public let name: String
    /// The status of the person in words, such as `Accepted`.
    public let status: String
    /// The permission of the person in words.
    public let permission: String
    /// Whether the row can be deleted.
    public let isRemovable: Bool
  }

  private let provider: any SharingActions
  private let identifier: String

  /// Creates the model of a share's participants.
  public init(_ share: any RenderableShare, provider: any SharingActions) {
    identifier = share.identifier
    self.provider = provider
  }

  /// The newest version of the share; nil after it has ended.
  public var share: (any RenderableShare)? {
    try? provider.shares().first { $0.identifier == identifier }
  }

  /// Whether the share has ended on this device or elsewhere.
  public var hasEnded: Bool { share == nil }

  /// The link to copy.
  public var link: URL? { share?.url }

  /// Whether the user can invite people.
  public var canInvite: Bool { share.map { $0.isOwn && $0.isPrivate } ?? false }

  /// The rows: the owner first, then by name.
  public var rows: [Row] {
    participants.map { participant in
      Row(
        name: Self.name(of: participant), status: Self.status(of: participant),
        permission: Self.permission(of: participant),
        isRemovable: share?.isOwn == true && participant.role != .owner)
    }
  }

  private var participants: [any RenderableShareParticipant] {
    (share?.renderableParticipants ?? []).sorted { one, other in
      let owners = (one.role == .owner, other.role == .owner)
      return owners.0 == owners.1 ? Self.name(of: one) < Self.name(of: other) : owners.0
    }
  }

  /// Invites a person by e-mail.
  public func invite(
    _ text: String, permission: CKShare.ParticipantPermission = .readWrite
  ) async throws {
    let address = text.trimmingCharacters(in: .whitespaces).lowercased()
    let parts = address.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
      throw SharingFailure.noAddress(text)
    }
    guard let share else { throw SharingFailure.ended }
    guard share.isOwn else { throw SharingFailure.notOwner }
    try await provider.invite(address, permission, to: share)
  }

  /// Removes the participant of a row.
  public func remove(at row: Int) async throws {
    guard let share else { throw SharingFailure.ended }
    let participant = participants[row]
    guard share.isOwn, participant.role != .owner else { throw SharingFailure.notOwner }
    try await provider.remove(participant, from: share)
  }

  // MARK: Words

  /// Returns the name or the address of a participant.
  public static func name(of participant: any RenderableShareParticipant) -> String {
    let identity = participant.renderableUserIdentity
    let names = [identity.nameComponents?.givenName, identity.nameComponents?.familyName]
    let name = names.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
    return name.isEmpty ? identity.emailAddress ?? "Unknown person" : name
  }

  /// Returns the role or the response of a participant in words.
  public static func status(of participant: any RenderableShareParticipant) -> String {
    if participant.role == .owner { return "Owner" }
    return switch participant.acceptanceStatus {
    case .accepted: "Accepted"
    case .pending: "Pending"
    case .removed: "Removed"
    default: "Unknown"
    }
  }

  /// Returns the permission of a participant in words.
  public static func permission(of participant: any RenderableShareParticipant) -> String {
    switch participant.permission {
    case .readWrite: "Can edit"
    case .readOnly: "Can view"
    case .none: "No access"
    default: "Unknown"
    }
  }
}
