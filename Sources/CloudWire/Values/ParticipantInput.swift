package import CloudRecords
import JSONCoding

/// A participant of a share, as sent by a client or read from a response.
///
/// In a request, missing members change nothing.
package struct ParticipantInput: Hashable, Sendable {
  package var identifier: String?
  package var identity = UserIdentity()
  package var role: ShareParticipant.Role?
  package var permission: ShareParticipant.Permission?
  package var acceptance: ShareParticipant.Acceptance?
  /// Whether the participant requested access and was approved.
  ///
  /// Only Parhelion's responses have this member.
  package var isApprovedRequester = false
  /// Whether the participant is invited by a one-time link instead of an identity.
  ///
  /// Apple's web protocol has no such member. It is an addition of Parhelion.
  package var isOneTime = false
  /// The short identifier of the one-time link, in responses to managers of the share.
  package var oneTimeName: String?
  /// When the participant was added, in responses.
  package var added: Timestamp?

  /// The proof that the participant has the share's link.
  ///
  /// Only Parhelion's responses have this member.
  package var joinProof: [UInt8]?

  private enum Key: String, JSONKey {
    case participantId, userIdentity, type, permission, acceptanceStatus, isApprovedRequester
    case isOneTimeURLParticipant, oneTimeShortGUID, dateAddedToShare, joinProof
    static let table = JSONKeyTable<Key>()
  }

  package init() {}

  /// Reads a participant.
  ///
  /// - Parameter isTolerant: Whether unknown words are ignored, as in responses of a newer server.
  init(from reader: inout JSONReader, isTolerant: Bool = false) throws(JSONError) {
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .participantId: identifier = try reader.optionalText()
      case .userIdentity: identity = try UserIdentity(from: &reader)
      case .type:
        role = try reader.word(
          "a participant's type", isTolerant: isTolerant, ShareParticipant.Role.init(name:))
      case .permission:
        permission = try reader.word(
          "a permission", isTolerant: isTolerant, ShareParticipant.Permission.init(name:))
      case .acceptanceStatus:
        acceptance = try reader.word(
          "an acceptance status", isTolerant: isTolerant, ShareParticipant.Acceptance.init(name:))
      case .isApprovedRequester: isApprovedRequester = try reader.optionalBool() ?? false
      case .isOneTimeURLParticipant: isOneTime = try reader.optionalBool() ?? false
      case .oneTimeShortGUID: oneTimeName = try reader.optionalText()
      case .dateAddedToShare:
        added = try reader.optional { (reader) throws(JSONError) in
          Timestamp(milliseconds: try reader.int64OrText())
        }
      case .joinProof: joinProof = try reader.null() ? nil : reader.base64()
      }
    }
  }
}

extension ShareParticipant {
  /// Reads a participant of a response.
  init(answered reader: inout JSONReader) throws(JSONError) {
    let input = try ParticipantInput(from: &reader, isTolerant: true)
    self.init(
      identifier: input.identifier ?? input.identity.userRecordName ?? "", identity: input.identity,
      role: input.role ?? .user, permission: input.permission ?? .none,
      acceptance: input.acceptance ?? .invited,
      isApprovedRequester: input.isApprovedRequester)
    oneTimeName = input.oneTimeName
    added = input.added
    joinProof = input.joinProof
  }
}

extension JSONReader {
  /// Reads a word of a known set, or nil for `null`.
  ///
  /// - Parameter isTolerant: Whether any other word counts as `null`.
  mutating func word<Word>(
    _ what: String, isTolerant: Bool = false, _ word: (String) -> Word?
  ) throws(JSONError) -> Word? {
    guard let text = try optionalText() else { return nil }
    guard let known = word(text) else {
      if isTolerant { return nil }
      throw invalidValue("expected \(what), not “\(text.prefix(64))”")
    }
    return known
  }
}

extension JSONWriter {
  /// Writes a participant in requests.
  mutating func participant(_ participant: ParticipantInput) {
    beginObject()
    text("participantId", ifPresent: participant.identifier)
    key("userIdentity")
    identity(participant.identity)
    text("type", ifPresent: participant.role?.name)
    text("permission", ifPresent: participant.permission?.name)
    text("acceptanceStatus", ifPresent: participant.acceptance?.name)
    if participant.isOneTime { bool("isOneTimeURLParticipant", true) }
    endObject()
  }

  /// Writes a participant in responses.
  mutating func participant(_ participant: ShareParticipant) {
    beginObject()
    text("participantId", participant.identifier)
    key("userIdentity")
    identity(participant.identity)
    text("type", participant.role.name)
    text("permission", participant.permission.name)
    text("acceptanceStatus", participant.acceptance.name)
    if participant.isApprovedRequester { bool("isApprovedRequester", true) }
    text("oneTimeShortGUID", ifPresent: participant.oneTimeName)
    if let time = participant.added { number("dateAddedToShare", time.milliseconds) }
    if let proof = participant.joinProof {
      key("joinProof")
      base64(proof.span)
    }
    endObject()
  }
}
