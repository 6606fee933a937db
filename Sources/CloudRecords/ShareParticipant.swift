/// One who takes part in a share, or is asked to.
package struct ShareParticipant: Hashable, Sendable {
  /// What a participant is to a share.
  ///
  /// The raw value is part of stored forms.
  package enum Role: UInt8, CaseIterable, Hashable, Sendable {
    case owner = 1
    /// May manage the participants, and nothing else of the share.
    case administrator = 2
    /// Was asked by name.
    case user = 3
    /// Came by the link of a share that is open to everybody who has it.
    case publicUser = 4
  }

  /// What a participant may do with what is shared.
  ///
  /// The raw value is part of stored forms, and rises with what is allowed.
  package enum Permission: UInt8, CaseIterable, Hashable, Comparable, Sendable {
    case none = 0
    case readOnly = 1
    case readWrite = 2

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// How far an invitation has come.
  ///
  /// The raw value is part of stored forms.
  package enum Acceptance: UInt8, CaseIterable, Hashable, Sendable {
    case invited = 1
    case accepted = 2
    case removed = 3
  }

  /// The share's name for the participant.
  package var identifier: String
  package var identity: UserIdentity
  package var role: Role
  package var permission: Permission
  package var acceptance: Acceptance
  /// Whether the participant asked to be let in.
  package var isApprovedRequester: Bool
  /// The position in its zone's feed from which on the participant has seen by the share, as the
  /// server notes it; nil for one who sees nothing by it, and where nobody noted it.
  package var sightBegun: UInt64?

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

extension ShareParticipant.Role {
  package var name: String {
    switch self {
    case .owner: "OWNER"
    case .administrator: "ADMINISTRATOR"
    case .user: "USER"
    case .publicUser: "PUBLIC_USER"
    }
  }

  /// A role by any of the names that clients use.
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

  /// A permission by its name; `UNKNOWN` is what clients say before they decide, and allows
  /// nothing.
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

  /// A state by any of the names that clients use.
  package init?(name: String) {
    switch name {
    case "INVITED", "PENDING", "UNKNOWN": self = .invited
    case "ACCEPTED": self = .accepted
    case "REMOVED": self = .removed
    default: return nil
    }
  }
}
