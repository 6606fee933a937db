import BinaryForms
import CloudRecords

/// What a share has beside a record's fields, in stored forms.
enum ShareForm {
  static func write(_ share: ShareDetails, to form: inout FormWriter) {
    form.byte(share.publicPermission.rawValue)
    form.optional(share.rootName) { $0.text($1) }
    form.count(share.participants.count)
    for participant in share.participants { write(participant, to: &form) }
  }

  static func read(from form: inout FormReader) throws(FormDamage) -> ShareDetails {
    guard let permission = ShareParticipant.Permission(rawValue: try form.byte()) else {
      throw form.damage("an unknown permission of a share")
    }
    let root = try form.optional { (form) throws(FormDamage) in try form.text() }
    var share = ShareDetails(publicPermission: permission, participants: [], rootName: root)
    for _ in 0..<(try form.count()) { share.participants.append(try participant(from: &form)) }
    return share
  }

  private static func write(_ participant: ShareParticipant, to form: inout FormWriter) {
    form.text(participant.identifier)
    form.byte(participant.role.rawValue)
    form.byte(participant.permission.rawValue)
    form.byte(participant.acceptance.rawValue)
    write(&form, participant.identity)
  }

  static func write(_ form: inout FormWriter, _ identity: UserIdentity) {
    form.optional(identity.userRecordName) { $0.text($1) }
    form.optional(identity.nameComponents, write)
    form.optional(identity.lookupInfo, write)
  }

  static func identity(from form: inout FormReader) throws(FormDamage) -> UserIdentity {
    var identity = UserIdentity(userRecordName: try form.optional { (form) throws(FormDamage) in try form.text() })
    identity.nameComponents = try form.optional(nameComponents)
    identity.lookupInfo = try form.optional(lookupInfo)
    return identity
  }

  private static func participant(from form: inout FormReader) throws(FormDamage) -> ShareParticipant {
    let identifier = try form.text()
    guard let role = ShareParticipant.Role(rawValue: try form.byte()),
      let permission = ShareParticipant.Permission(rawValue: try form.byte()),
      let acceptance = ShareParticipant.Acceptance(rawValue: try form.byte())
    else { throw form.damage("an unknown role, permission or state of a participant") }
    return ShareParticipant(
      identifier: identifier, identity: try identity(from: &form), role: role, permission: permission,
      acceptance: acceptance)
  }

  private static let parts: [any WritableKeyPath<UserIdentity.NameComponents, String?> & Sendable] = [
    \.namePrefix, \.givenName, \.middleName, \.familyName, \.nameSuffix, \.nickname,
  ]

  private static func write(_ form: inout FormWriter, _ name: UserIdentity.NameComponents) {
    for part in parts { form.optional(name[keyPath: part]) { $0.text($1) } }
  }

  private static func nameComponents(from form: inout FormReader) throws(FormDamage) -> UserIdentity.NameComponents {
    var name = UserIdentity.NameComponents()
    for part in parts { name[keyPath: part] = try form.optional { (form) throws(FormDamage) in try form.text() } }
    return name
  }

  static func write(_ form: inout FormWriter, _ info: UserIdentity.LookupInfo) {
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

  static func lookupInfo(from form: inout FormReader) throws(FormDamage) -> UserIdentity.LookupInfo {
    switch try form.byte() {
    case 1: return .emailAddress(try form.text())
    case 2: return .phoneNumber(try form.text())
    case 3: return .userRecordName(try form.text())
    default: throw form.damage("an unknown kind of address")
    }
  }
}
