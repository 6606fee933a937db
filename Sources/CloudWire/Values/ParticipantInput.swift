package import CloudRecords
import JSONCoding

/// A participant of a share as a client describes one: what it leaves out stays as it is.
package struct ParticipantInput: Hashable, Sendable {
  package var identifier: String?
  package var identity = UserIdentity()
  package var role: ShareParticipant.Role?
  package var permission: ShareParticipant.Permission?
  package var acceptance: ShareParticipant.Acceptance?

  private enum Key: String, JSONKey {
    case participantId, userIdentity, type, permission, acceptanceStatus
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .participantId: identifier = try reader.optionalText()
      case .userIdentity: identity = try UserIdentity(from: &reader)
      case .type: role = try reader.word("a participant's type", ShareParticipant.Role.init(name:))
      case .permission: permission = try reader.word("a permission", ShareParticipant.Permission.init(name:))
      case .acceptanceStatus:
        acceptance = try reader.word("an acceptance status", ShareParticipant.Acceptance.init(name:))
      }
    }
  }
}

extension JSONReader {
  /// Takes a word of a known set; nil where the document says `null`.
  mutating func word<Word>(_ what: String, _ word: (String) -> Word?) throws(JSONError) -> Word? {
    guard let text = try optionalText() else { return nil }
    guard let known = word(text) else { throw invalidValue("expected \(what), not “\(text.prefix(64))”") }
    return known
  }
}

extension JSONWriter {
  mutating func participant(_ participant: ShareParticipant) {
    beginObject()
    text("participantId", participant.identifier)
    key("userIdentity")
    identity(participant.identity)
    text("type", participant.role.name)
    text("permission", participant.permission.name)
    text("acceptanceStatus", participant.acceptance.name)
    endObject()
  }
}
