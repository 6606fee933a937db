import Foundation

/// What makes a record a share.
struct Sharing: Sendable {
  /// The record that is shared with all under it; nil for a share of the whole zone.
  var root: CKRecord.ID?
  var publicPermission = CKShare.ParticipantPermission.none
  /// The owner first.
  var participants: [CKShare.Participant]
  var url: URL?
  /// Whether permission or participants were changed since the share was made, fetched or saved.
  var isChanged = false

  init(root: CKRecord.ID?, participants: [CKShare.Participant]) {
    self.root = root
    self.participants = participants
  }

  /// Opening forgets who was asked and has not answered, closing who came uninvited.
  mutating func setPublicPermission(_ permission: CKShare.ParticipantPermission) {
    publicPermission = permission
    isChanged = true
    let isOpen = permission == .readOnly || permission == .readWrite
    participants.removeAll { participant in
      isOpen
        ? participant.role == .privateUser && participant.acceptanceStatus == .pending
        : participant.role == .publicUser
    }
  }

  /// The owner stays as they are.
  mutating func add(_ participant: CKShare.Participant) {
    isChanged = true
    guard let known = participants.firstIndex(where: { $0.isSamePerson(as: participant) }) else {
      return participants.append(participant)
    }
    if participants[known].role != .owner { participants[known] = participant }
  }

  mutating func remove(_ participant: CKShare.Participant) {
    isChanged = true
    participants.removeAll { $0.isSamePerson(as: participant) }
  }

  /// Whether the share that the server has lets the same people do the same.
  func isGranted(by other: Sharing?) -> Bool {
    guard let other, publicPermission == other.publicPermission else { return false }
    let (own, theirs) = (participants.filter { $0.role != .owner }, other.participants.filter { $0.role != .owner })
    return own.count == theirs.count
      && own.allSatisfy { one in
        theirs.contains { $0.isSamePerson(as: one) && $0.permission == one.permission && $0.role == one.role }
      }
  }

  /// The same with participants of its own.
  func copied() -> Sharing {
    var copy = self
    copy.participants = participants.compactMap { $0.copy() as? CKShare.Participant }
    return copy
  }
}

// MARK: Archives

extension Sharing {
  /// Reads what `encode(with:)` wrote; nil where the archive holds no share.
  init?(coder: NSCoder) {
    guard coder.containsValue(forKey: Key.participants),
      let participants = coder.decodeObject(of: [NSArray.self, CKShareParticipant.self], forKey: Key.participants)
        as? [CKShareParticipant],
      let permission = CKShare.ParticipantPermission(rawValue: coder.decodeInteger(forKey: Key.publicPermission))
    else { return nil }
    self.init(root: coder.object(CKRecord.ID.self, Key.root), participants: participants)
    publicPermission = permission
    url = coder.text(Key.url).flatMap { URL(string: $0) }
  }

  func encode(with coder: NSCoder) {
    coder.encode(participants as NSArray, forKey: Key.participants)
    coder.encode(publicPermission.rawValue, forKey: Key.publicPermission)
    if let root { coder.encode(root, forKey: Key.root) }
    if let url { coder.encode(url.absoluteString as NSString, forKey: Key.url) }
  }

  private enum Key {
    static let participants = "Participants"
    static let publicPermission = "PublicPermission"
    static let root = "RootRecordID"
    static let url = "ShareURL"
  }
}
