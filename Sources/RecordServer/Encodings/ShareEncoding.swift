import BinaryCoding
import CloudRecords

/// What a share has beside a record's fields, in stored forms.
///
/// A share that people may ask to be let into, or have asked, has a mark where the permission
/// stands otherwise, and what is to be said of them behind its participants. Programs before
/// version 3 of the store do not know it. A share that knows since when its participants see by it
/// has a mark before all that, and these positions at its end, since version 6.
enum ShareEncoding {
  /// Stands before the permission of a share that has something for people who were not invited.
  private static let requestsMark: UInt8 = 0xFF
  /// Stands before a share that knows since when its participants see by it.
  private static let sightsMark: UInt8 = 0xFE

  static func write(_ share: ShareDetails, to form: inout BinaryWriter) {
    let sights = share.participants.enumerated().compactMap { index, one in
      one.sightBegun.map { (index, $0) }
    }
    if !sights.isEmpty { form.byte(sightsMark) }
    writePeople(of: share, to: &form)
    guard !sights.isEmpty else { return }
    form.count(sights.count)
    for (index, position) in sights {
      form.number(UInt64(index))
      form.number(position)
    }
  }

  static func read(from form: inout BinaryReader) throws(BinaryCodingError) -> ShareDetails {
    var first = try form.byte()
    let hasSights = first == sightsMark
    if hasSights { first = try form.byte() }
    var share = try readPeople(first, from: &form)
    guard hasSights else { return share }
    for _ in 0..<(try form.count()) {
      let index = try participantIndex(in: share, from: &form)
      share.participants[index].sightBegun = try form.number()
    }
    return share
  }

  private static func writePeople(of share: ShareDetails, to form: inout BinaryWriter) {
    let approved = share.participants.indices.filter { share.participants[$0].isApprovedRequester }
    let hasRequests = !share.requests.isEmpty || !approved.isEmpty
    if hasRequests { form.byte(requestsMark) }
    form.byte(share.publicPermission.rawValue)
    form.optional(share.rootName) { $0.text($1) }
    form.count(share.participants.count)
    for participant in share.participants { write(participant, to: &form) }
    guard hasRequests else { return }
    form.byte(share.requests.areAllowed ? 1 : 0)
    for people in [share.requests.requesters, share.requests.blocked] {
      form.count(people.count)
      for identity in people { write(&form, identity) }
    }
    form.count(approved.count)
    for index in approved { form.number(UInt64(index)) }
  }

  private static func readPeople(
    _ first: UInt8, from form: inout BinaryReader
  ) throws(BinaryCodingError) -> ShareDetails {
    var first = first
    let hasRequests = first == requestsMark
    if hasRequests { first = try form.byte() }
    guard let permission = ShareParticipant.Permission(rawValue: first) else {
      throw form.damage("an unknown permission of a share")
    }
    let root = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    var share = ShareDetails(publicPermission: permission, participants: [], rootName: root)
    for _ in 0..<(try form.count()) { share.participants.append(try participant(from: &form)) }
    if hasRequests { try readRequests(of: &share, from: &form) }
    return share
  }

  private static func readRequests(of share: inout ShareDetails, from form: inout BinaryReader)
    throws(BinaryCodingError)
  {
    share.requests.areAllowed = try form.byte() == 1
    for _ in 0..<(try form.count()) { share.requests.requesters.append(try identity(from: &form)) }
    for _ in 0..<(try form.count()) { share.requests.blocked.append(try identity(from: &form)) }
    for _ in 0..<(try form.count()) {
      let index = try participantIndex(in: share, from: &form)
      share.participants[index].isApprovedRequester = true
    }
  }

  private static func participantIndex(
    in share: ShareDetails, from form: inout BinaryReader
  ) throws(BinaryCodingError) -> Int {
    // No `count()`, which looks for as many bytes behind it.
    let index = try form.number()
    guard index < UInt64(share.participants.count) else {
      throw form.damage("a participant that is not there")
    }
    return Int(index)
  }

  private static func write(_ participant: ShareParticipant, to form: inout BinaryWriter) {
    form.text(participant.identifier)
    form.byte(participant.role.rawValue)
    form.byte(participant.permission.rawValue)
    form.byte(participant.acceptance.rawValue)
    write(&form, participant.identity)
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
    else { throw form.damage("an unknown role, permission or state of a participant") }
    return ShareParticipant(
      identifier: identifier, identity: try identity(from: &form), role: role,
      permission: permission,
      acceptance: acceptance)
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
    default: throw form.damage("an unknown kind of address")
    }
  }
}
