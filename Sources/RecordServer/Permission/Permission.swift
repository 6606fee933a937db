package import CloudRecords
import CloudSchema

/// The decision whether a caller may perform an action.
///
/// All permissions are decided here, by pure functions. Operations determine the subject, request a
/// decision, and apply it.
package enum Permission: Hashable, Sendable {
  case allowed
  /// Denied, with a reason for the caller.
  case denied(String)
  /// Denied as if the object did not exist, so that its existence is not revealed.
  case hidden
  /// The action requires a signed-in user.
  case signInRequired

  /// Decides whether a caller may perform an action on a subject.
  package static func decide(_ action: Action, by caller: Caller, on subject: Subject) -> Permission
  {
    switch subject {
    case .publicRecord(let grants): publicRecord(action, caller, grants)
    case .publicDatabase: publicDatabase(action, caller)
    case .own(let place): signedIn(caller) ?? own(action, place)
    case .others(let standing, let coverage): signedIn(caller) ?? others(action, standing, coverage)
    case .otherPrivateDatabase: signedIn(caller) ?? .hidden
    case .link(let standing): signedIn(caller) ?? link(action, standing)
    case .userKeys(let isOwn): signedIn(caller) ?? userKeys(action, isOwn: isOwn)
    }
  }

  /// The denial for a caller that is not a user, in the private and shared databases; nil for a
  /// user.
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

  /// Allows a write unless the caller is anonymous, because every write needs an author.
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
        "Records of the default zone cannot be shared. Share records of a custom zone instead.")
    case (.createZone, .defaultZone), (.deleteZone, .defaultZone):
      .denied("The default zone always exists.")
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
    case .createZone, .deleteZone: return .denied("Zones are created and deleted by their owners.")
    // A participant may use the link again.
    case .resolveShare, .joinShare: return .allowed
    case .readKeyBag, .writeKeyBag: return keys(action, role, coverage)
    }
  }

  /// Decides access to key bags: administrators write them, since they seal keys for participants.
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
    case .readOnly: return .denied("The participant may only read.")
    case .readWrite: break
    }
    if action == .deleteRecord, coverage == .root {
      return .denied("Only the owner can delete the record that a share was made for.")
    }
    return .allowed
  }
}

// MARK: - Access by a share's link

extension Permission {
  /// A caller with the link may see the share's metadata and owner.
  ///
  /// To read the record, the caller needs the permission of a participant or of the public.
  private static func link(_ action: Action, _ standing: LinkStanding) -> Permission {
    guard standing != .concealed else { return .hidden }
    switch action {
    case .resolveShare: return .allowed
    case .joinShare:
      return standing != .uninvited(.none)
        ? .allowed
        : .denied("The signed-in user was not invited to this share by any address it is known by.")
    case .readRecord:
      return [.uninvited(.none), .participant(.none)].contains(standing) ? .hidden : .allowed
    default: return .hidden
    }
  }
}

// MARK: - Key bags of users

extension Permission {
  private static func userKeys(_ action: Action, isOwn: Bool) -> Permission {
    switch action {
    case .readKeyBag: .allowed
    case .writeKeyBag: isOwn ? .allowed : .denied("A user's key bag is written by the user.")
    default: .hidden
    }
  }
}

// MARK: - Errors

extension Permission {
  /// The error for a denial; nil if the action is allowed.
  ///
  /// - Parameter hiding: The error for an object that does not exist.
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
