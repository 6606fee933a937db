import BinaryCoding
import CloudRecords

/// The optional parts of a stored participant.
private struct ParticipantParts: OptionSet {
  let rawValue: UInt8
  static let isApproved = Self(rawValue: 1)
  static let oneTimeName = Self(rawValue: 2)
  static let added = Self(rawValue: 4)
  static let joinProof = Self(rawValue: 8)
  static let all: Self = [.isApproved, .oneTimeName, .added, .joinProof]
}

/// The part of a stored share that other records do not have.
enum ShareEncoding {
  static func write(_ share: ShareDetails, to form: inout BinaryWriter) {
    form.byte(share.publicPermission.rawValue)
    form.optional(share.rootName) { $0.text($1) }
    form.count(share.participants.count)
    for participant in share.participants { write(participant, to: &form) }
    form.byte(share.requests.areAllowed ? 1 : 0)
    for people in [share.requests.requesters, share.requests.blocked] {
      form.count(people.count)
      for identity in people { write(&form, identity) }
    }
  }

  static func read(from form: inout BinaryReader) throws(BinaryCodingError) -> ShareDetails {
    guard let permission = ShareParticipant.Permission(rawValue: try form.byte()) else {
      throw form.error("an unknown permission of a share")
    }
    let root = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    var share = ShareDetails(publicPermission: permission, participants: [], rootName: root)
    for _ in 0..<(try form.count()) { share.participants.append(try participant(from: &form)) }
    share.requests.areAllowed = try form.byte() == 1
    for _ in 0..<(try form.count()) { share.requests.requesters.append(try identity(from: &form)) }
    for _ in 0..<(try form.count()) { share.requests.blocked.append(try identity(from: &form)) }
    return share
  }

  private static func write(_ participant: ShareParticipant, to form: inout BinaryWriter) {
    form.text(participant.identifier)
    form.byte(participant.role.rawValue)
    form.byte(participant.permission.rawValue)
    form.byte(participant.acceptance.rawValue)
    write(&form, participant.identity)
    var parts: ParticipantParts = []
    if participant.isApprovedRequester { parts.insert(.isApproved) }
    if participant.oneTimeName != nil { parts.insert(.oneTimeName) }
    if participant.added != nil { parts.insert(.added) }
    if participant.joinProof != nil { parts.insert(.joinProof) }
    form.byte(parts.rawValue)
    if let name = participant.oneTimeName { form.text(name) }
    if let time = participant.added { form.signed(time.milliseconds) }
    if let proof = participant.joinProof { form.data(proof) }
    form.optional(participant.visibleSince) { $0.number($1) }
  }

  static func write(_ form: inout BinaryWriter, _ identity: UserIdentity) {
    form.optional(identity.userRecordName) { $0.text($1) }
    form.optional(identity.nameComponents, write)
    form.optional(identity.lookupInfo, write)
  }

  static func identity(from form: inout BinaryReader) throws(BinaryCodingError) -> UserIdentity {
    var identity = UserIdentity(
      userRecordName: try form.optional { (form) throws(BinaryCodingError) in try form.text() })
    identity.nameComponents = try form.optional(nameComponents)
    identity.lookupInfo = try form.optional(lookupInfo)
    return identity
  }

  private static func participant(from form: inout BinaryReader) throws(BinaryCodingError)
    -> ShareParticipant
  {
    let identifier = try form.text()
    guard let role = ShareParticipant.Role(rawValue: try form.byte()),
      let permission = ShareParticipant.Permission(rawValue: try form.byte()),
      let acceptance = ShareParticipant.Acceptance(rawValue: try form.byte())
    else { throw form.error("an unknown role, permission or state of a participant") }
    var participant = ShareParticipant(
      identifier: identifier, identity: try identity(from: &form), role: role,
      permission: permission,
      acceptance: acceptance)
    let parts = ParticipantParts(rawValue: try form.byte())
    guard parts.isSubset(of: .all) else { throw form.error("an unknown part of a participant") }
    participant.isApprovedRequester = parts.contains(.isApproved)
    if parts.contains(.oneTimeName) { participant.oneTimeName = try form.text() }
    if parts.contains(.added) {
      participant.added = Timestamp(milliseconds: try form.signed())
    }
    if parts.contains(.joinProof) { participant.joinProof = try form.data() }
    participant.visibleSince = try form.optional { (form) throws(BinaryCodingError) in
      try form.number()
    }
    return participant
  }

  private static let parts: [any WritableKeyPath<UserIdentity.NameComponents, String?> & Sendable] =
    [
      \.namePrefix, \.givenName, \.middleName, \.familyName, \.nameSuffix, \.nickname,
    ]

  private static func write(_ form: inout BinaryWriter, _ name: UserIdentity.NameComponents) {
    for part in parts { form.optional(name[keyPath: part]) { $0.text($1) } }
  }

  private static func nameComponents(from form: inout BinaryReader) throws(BinaryCodingError)
    -> UserIdentity.NameComponents
  {
    var name = UserIdentity.NameComponents()
    for part in parts {
      name[keyPath: part] = try form.optional { (form) throws(BinaryCodingError) in try form.text()
      }
    }
    return name
  }

  static func write(_ form: inout BinaryWriter, _ info: UserIdentity.LookupInfo) {
    switch info {
    case .emailAddress(let text):
      form.byte(1)
      form.text(text)
    case .phoneNumber(let text):
      form.byte(2)
      form.text(text)
    case .userRecordName(let text):
      form.byte(3)
      form.text(text)
    }
  }

  static func lookupInfo(from form: inout BinaryReader) throws(BinaryCodingError)
    -> UserIdentity.LookupInfo
  {
    switch try form.byte() {
    case 1: return .emailAddress(try form.text())
    case 2: return .phoneNumber(try form.text())
    case 3: return .userRecordName(try form.text())
    default: throw form.error("an unknown kind of address")
    }
  }
}
