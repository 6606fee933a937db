import CloudRecords
import CloudWire

/// An action of a person on the page of a share.
enum InvitationAction: Hashable {
  case signIn
  case signUp
  case signOut
  case accept
  case requestAccess
  case leave
  /// Hands the share over to a program.
  case open
  case manage(ShareChange)
  case stop

  init?(_ fields: FormFields) {
    switch fields["action"] {
    case "sign-in": self = .signIn
    case "sign-up": self = .signUp
    case "sign-out": self = .signOut
    case "accept": self = .accept
    case "request": self = .requestAccess
    case "leave": self = .leave
    case "open": self = .open
    case "stop": self = .stop
    default:
      guard let change = ShareChange(fields) else { return nil }
      self = .manage(change)
    }
  }
}

/// A manager's change of a share.
enum ShareChange: Hashable {
  case invite(address: String, ShareParticipant.Permission, isAdministrator: Bool)
  case oneTime(ShareParticipant.Permission)
  case permission(participant: String, ShareParticipant.Permission)
  case role(participant: String, ShareParticipant.Role)
  case remove(participant: String)
  case access(ShareParticipant.Permission)
  case requests(areAllowed: Bool)
  case approve(person: Int, ShareParticipant.Permission)
  case deny(person: Int)
  case block(person: Int)
  case unblock(person: Int)

  init?(_ fields: FormFields) {
    let permission = fields["permission"].flatMap(ShareParticipant.Permission.init(name:))
    let granted = permission.flatMap { $0 == .none ? nil : $0 } ?? .readOnly
    let participant = fields["participant"] ?? ""
    let person = fields["person"].flatMap { Int($0) } ?? -1
    switch fields["action"] {
    case "invite":
      let address = fields["address"]?.filter { !$0.isWhitespace } ?? ""
      self = .invite(address: address, granted, isAdministrator: fields["administrator"] != nil)
    case "one-time": self = .oneTime(granted)
    case "permission": self = .permission(participant: participant, granted)
    case "role":
      self = .role(
        participant: participant, fields["role"] == "ADMINISTRATOR" ? .administrator : .user)
    case "remove": self = .remove(participant: participant)
    case "access": self = .access(permission ?? .none)
    case "requests": self = .requests(areAllowed: fields["allowed"] == "1")
    case "approve": self = .approve(person: person, granted)
    case "deny": self = .deny(person: person)
    case "block": self = .block(person: person)
    case "unblock": self = .unblock(person: person)
    default: return nil
    }
  }
}

// MARK: - Applying

extension ShareChange {
  /// The record that a program would send for the change of a share as the page showed it.
  ///
  /// - Parameter tag: The version of the share that the page showed.
  /// - Throws: `BAD_REQUEST` if the change does not fit the share.
  func input(for record: CloudRecord, tag: String) throws(CloudError) -> RecordInput {
    guard let share = record.share else {
      throw CloudError(.badRequest, "The record is not a share.")
    }
    var input = RecordInput()
    input.recordName = record.identifier.recordName
    input.recordType = record.recordType
    input.recordChangeTag = tag
    input.zone = ZoneReference(
      zoneName: record.identifier.zone.zoneName, ownerName: record.identifier.zone.ownerName)
    var guests = share.participants.filter { $0.role != .owner }.map(ParticipantInput.init)
    switch self {
    case .invite(let address, let permission, let isAdministrator):
      guard Self.isAddress(address) else {
        throw CloudError(.badRequest, "“\(address.prefix(64))” is not an e-mail address.")
      }
      guests.append(
        ParticipantInput(
          UserIdentity(lookupInfo: .emailAddress(address)), permission,
          isAdministrator ? .administrator : .user))
    case .oneTime(let permission):
      var guest = ParticipantInput(UserIdentity(), permission, .user)
      guest.isOneTime = true
      guests.append(guest)
    case .permission(let name, let permission):
      guests[try Self.place(of: name, in: guests)].permission = permission
    case .role(let name, let role):
      guests[try Self.place(of: name, in: guests)].role = role
    case .remove(let name): guests.remove(at: try Self.place(of: name, in: guests))
    case .access(let permission):
      input.publicPermission = permission
      // Closing a share removes all participants; opening it removes those who did not accept.
      return input
    case .requests(let areAllowed):
      input.requests.areAllowed = areAllowed
      return input
    case .approve(let person, let permission):
      let identity = try Self.person(person, of: share.requests.requesters)
      guests.append(ParticipantInput(identity, permission, .user))
    case .deny(let person):
      input.requests.denied = [try Self.person(person, of: share.requests.requesters)]
      return input
    case .block(let person):
      let identity = try Self.person(person, of: share.requests.requesters)
      input.requests.blocked = share.requests.blocked + [identity]
      return input
    case .unblock(let person):
      let identity = try Self.person(person, of: share.requests.blocked)
      input.requests.blocked = share.requests.blocked.filter { $0 != identity }
      return input
    }
    input.participants = guests
    return input
  }

  private static func place(of name: String, in guests: [ParticipantInput]) throws(CloudError)
    -> Int
  {
    if let place = guests.firstIndex(where: { $0.identifier == name }) { return place }
    throw CloudError(.badRequest, "The share has no such participant any more.")
  }

  private static func person(_ number: Int, of people: [UserIdentity]) throws(CloudError)
    -> UserIdentity
  {
    guard people.indices.contains(number) else {
      throw CloudError(
        .badRequest, "This person is no longer in the list. Check the page, and try again.")
    }
    return people[number]
  }

  /// Whether a text has the form of an e-mail address.
  private static func isAddress(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty && text.utf8.count <= 254
  }
}

extension ParticipantInput {
  fileprivate init(_ participant: ShareParticipant) {
    self.init(participant.identity, participant.permission, participant.role)
    identifier = participant.identifier
  }

  fileprivate init(
    _ identity: UserIdentity, _ permission: ShareParticipant.Permission,
    _ role: ShareParticipant.Role
  ) {
    self.init()
    (self.identity, self.permission, self.role) = (identity, permission, role)
  }
}
