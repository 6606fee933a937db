package import CloudRecords
import CloudSchema

/// What a caller may do: the one place where that is decided.
///
/// It is a function of its arguments alone. Operations find the subject, ask here, and obey.
package enum Permission: Hashable, Sendable {
  case allowed
  /// Refused, and told why.
  case denied(String)
  /// Refused as if the thing were not there, since telling would give away that it is.
  case hidden
  /// Nobody has signed in, and somebody must.
  case signInRequired

  /// Decides.
  package static func decide(_ action: Action, by caller: Caller, on subject: Subject) -> Permission
  {
    switch subject {
    case .publicRecord(let grants): publicRecord(action, caller, grants)
    case .publicDatabase: publicDatabase(action, caller)
    case .own(let place): signedIn(caller) ?? own(action, place)
    case .others(let standing, let coverage): signedIn(caller) ?? others(action, standing, coverage)
    case .stranger: signedIn(caller) ?? .hidden
    case .link(let standing): signedIn(caller) ?? link(action, standing)
    case .userKeys(let isOwn): signedIn(caller) ?? userKeys(action, isOwn: isOwn)
    }
  }

  /// What stands against a caller in the private and shared databases, which belong to users.
  private static func signedIn(_ caller: Caller) -> Permission? {
    switch caller {
    case .user: nil
    case .anonymous: .signInRequired
    case .server: .denied("A server's key reaches the public database only.")
    }
  }
}

// MARK: - The public database

extension Permission {
  private static func publicRecord(_ action: Action, _ caller: Caller, _ grants: RecordPermissions)
    -> Permission
  {
    let needed: RecordPermissions
    switch action {
    case .readRecord: needed = .read
    case .createRecord: needed = .create
    case .changeRecord, .deleteRecord: needed = .write
    default: return .denied("Records of the public database cannot be shared.")
    }
    if grants.contains(needed) { return needed == .read ? .allowed : writing(caller) }
    if caller == .anonymous { return .signInRequired }
    return .denied("The roles of the record type do not allow it.")
  }

  /// Everything that is written has somebody who wrote it.
  private static func writing(_ caller: Caller) -> Permission {
    caller == .anonymous ? .signInRequired : .allowed
  }

  private static func publicDatabase(_ action: Action, _ caller: Caller) -> Permission {
    switch action {
    case .seeZone: .allowed
    case .subscribe: writing(caller)
    case .createZone, .deleteZone: .denied("The public database has its default zone and no other.")
    default: .denied("The public database has no shares.")
    }
  }
}

// MARK: - The private database

extension Permission {
  private static func own(_ action: Action, _ place: Subject.Place) -> Permission {
    switch (action, place) {
    case (.createShare, .defaultZone), (.changeShare, .defaultZone),
      (.manageParticipants, .defaultZone):
      .denied(
        "Records of the default zone cannot be shared. Keep what is shared in a zone of its own.")
    case (.createZone, .defaultZone), (.deleteZone, .defaultZone):
      .denied("The default zone is always there.")
    case (.leaveShare, _): .denied("The owner cannot leave a share. End it by deleting its record.")
    default: .allowed
    }
  }
}

// MARK: - The shared database

extension Permission {
  private static func others(_ action: Action, _ standing: ShareRole, _ coverage: Coverage)
    -> Permission
  {
    guard case .participant(let role, let permission) = standing else { return .hidden }
    switch action {
    case .seeZone, .readShare, .leaveShare, .subscribe: return .allowed
    case .readRecord: return coverage == .outsideTree || permission == .none ? .hidden : .allowed
    case .createRecord, .changeRecord, .deleteRecord: return writing(action, permission, coverage)
    case .manageParticipants:
      return role == .administrator
        ? .allowed : .denied("Only the owner and administrators manage participants.")
    case .changeShare, .endShare, .createShare:
      return .denied("Only the owner of the zone can do this to a share.")
    case .createZone, .deleteZone: return .denied("Zones are made and deleted by their owners.")
    // Whoever takes part may come by the link again.
    case .resolveShare, .joinShare: return .allowed
    case .readKeyBag, .writeKeyBag: return keys(action, role, coverage)
    }
  }

  /// Whoever decides who takes part seals the keys for those who do.
  private static func keys(_ action: Action, _ role: ShareParticipant.Role, _ coverage: Coverage)
    -> Permission
  {
    if coverage == .outsideTree {
      return .denied("The zone is shared in part: ask for the key bag of the share.")
    }
    if action == .readKeyBag { return .allowed }
    return role == .administrator
      ? .allowed : .denied("Only the owner and administrators of a share seal its keys.")
  }

  private static func writing(
    _ action: Action, _ permission: ShareParticipant.Permission, _ coverage: Coverage
  ) -> Permission {
    if coverage == .outsideTree {
      return action == .createRecord
        ? .denied("A new record in a zone that is shared in part needs a parent that is shared.")
        : .hidden
    }
    switch permission {
    case .none: return .hidden
    case .readOnly: return .denied("The participant may read only.")
    case .readWrite: break
    }
    if action == .deleteRecord, coverage == .root {
      return .denied("Only the owner can delete the record that a share was made for.")
    }
    return .allowed
  }
}

// MARK: - By a share's link

extension Permission {
  /// Whoever has the link learns what is shared, and by whom; the record itself is for those who
  /// are let in.
  private static func link(_ action: Action, _ standing: LinkStanding) -> Permission {
    let isLetIn = standing != .everybody(.none)
    switch action {
    case .resolveShare: return .allowed
    case .joinShare:
      return isLetIn
        ? .allowed
        : .denied("The signed-in user was not invited to this share by any address it is known by.")
    case .readRecord: return isLetIn ? .allowed : .hidden
    default: return .hidden
    }
  }
}

// MARK: - The keys of users

extension Permission {
  private static func userKeys(_ action: Action, isOwn: Bool) -> Permission {
    switch action {
    case .readKeyBag: .allowed
    case .writeKeyBag: isOwn ? .allowed : .denied("A user's key bag is written by the user.")
    default: .hidden
    }
  }
}

// MARK: - As an error

extension Permission {
  /// The error of a refusal; nil if the action is allowed.
  ///
  /// - Parameter hiding: the error of a thing that is not there.
  package func error(hiding: @autoclosure () -> CloudError) -> CloudError? {
    switch self {
    case .allowed: nil
    case .denied(let reason): CloudError(.accessDenied, reason)
    case .hidden: hiding()
    case .signInRequired:
      CloudError(.authenticationRequired, "This needs a user who has signed in.")
    }
  }
}
