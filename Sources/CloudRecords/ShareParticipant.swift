/// A participant of a share, invited or accepted.
package struct ShareParticipant: Hashable, Sendable {
  /// A participant's role.
  ///
  /// The raw value is stored.
  package enum Role: UInt8, CaseIterable, Hashable, Sendable {
    case owner = 1
    /// May manage participants, and change nothing else of the share.
    case administrator = 2
    /// Was invited individually.
    case user = 3
    /// Joined by the link of a public share.
    case publicUser = 4
  }

  /// The permission of a participant to read or write the shared records.
  ///
  /// The raw value is stored. A higher value allows more.
  package enum Permission: UInt8, CaseIterable, Hashable, Comparable, Sendable {
    case none = 0
    case readOnly = 1
    case readWrite = 2

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// The state of an invitation.
  ///
  /// The raw value is stored.
  package enum Acceptance: UInt8, CaseIterable, Hashable, Sendable {
    case invited = 1
    case accepted = 2
    case removed = 3
  }

  /// The participant's identifier within the share.
  package var identifier: String
  package var identity: UserIdentity
  package var role: Role
  package var permission: Permission
  package var acceptance: Acceptance
  /// Whether the participant asked for access and was approved.
  package var isApprovedRequester: Bool
  /// The short identifier of the participant's one-time link; nil if the participant has none.
  package var oneTimeName: String?
  /// When the participant was added to the share; nil if that was not recorded.
  package var added: Timestamp?
  /// The proof for the owner's devices that the participant has the share's link.
  ///
  /// The server cannot check it.
  package var joinProof: [UInt8]?
  /// The position in the zone's feed at which the participant gained access.
  ///
  /// Nil if the participant has no access by this share, or if the position was not recorded.
  package var visibleSince: UInt64?

  package init(
    identifier: String, identity: UserIdentity, role: Role, permission: Permission,
    acceptance: Acceptance,
    isApprovedRequester: Bool = false
  ) {
    self.identifier = identifier
    self.identity = identity
    self.role = role
    self.permission = permission
    self.acceptance = acceptance
    self.isApprovedRequester = isApprovedRequester
  }
}

extension ShareParticipant {
  /// Whether the participant has a one-time link that was not used yet.
  package var awaitsOneTimeLink: Bool {
    oneTimeName != nil && acceptance == .invited && identity.knownName == nil
  }
}

extension ShareParticipant.Role {
  package var name: String {
    switch self {
    case .owner: "OWNER"
    case .administrator: "ADMINISTRATOR"
    case .user: "USER"
    case .publicUser: "PUBLIC_USER"
    }
  }

  /// Creates a role from any of the names that clients use.
  package init?(name: String) {
    switch name {
    case "OWNER": self = .owner
    case "ADMINISTRATOR": self = .administrator
    case "USER", "PRIVATE_USER", "UNKNOWN": self = .user
    case "PUBLIC_USER": self = .publicUser
    default: return nil
    }
  }
}

extension ShareParticipant.Permission {
  package var name: String {
    switch self {
    case .none: "NONE"
    case .readOnly: "READ_ONLY"
    case .readWrite: "READ_WRITE"
    }
  }

  /// Creates a permission from its name.
  ///
  /// `UNKNOWN`, which clients send for an undecided permission, grants nothing.
  package init?(name: String) {
    switch name {
    case "NONE", "UNKNOWN": self = .none
    case "READ_ONLY": self = .readOnly
    case "READ_WRITE": self = .readWrite
    default: return nil
    }
  }
}

extension ShareParticipant.Acceptance {
  package var name: String {
    switch self {
    case .invited: "INVITED"
    case .accepted: "ACCEPTED"
    case .removed: "REMOVED"
    }
  }

  /// Creates a state from any of the names that clients use.
  package init?(name: String) {
    switch name {
    case "INVITED", "PENDING", "UNKNOWN": self = .invited
    case "ACCEPTED": self = .accepted
    case "REMOVED": self = .removed
    default: return nil
    }
  }
}
