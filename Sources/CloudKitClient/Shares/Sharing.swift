import CloudEncryption
import Foundation

/// The properties of a share that ordinary records lack.
struct Sharing: Sendable {
  /// The root record's ID; nil for a zone-wide share.
  var root: CKRecord.ID?
  var publicPermission = CKShare.ParticipantPermission.none
  /// The owner first.
  var participants: [CKShare.Participant]
  var url: URL?
  /// The access requests of people who were not invited.
  var requests = Requests()
  /// The terms when the share was fetched or saved; nil for a new share.
  fileprivate var formerTerms: Terms?

  /// The permissions of a share.
  fileprivate struct Terms: Sendable {
    var publicPermission: CKShare.ParticipantPermission
    /// Copies, which the app cannot change.
    var participants: [CKShare.Participant]

    /// Whether both grant the same permissions to the same people.
    func are(_ other: Terms) -> Bool {
      let (own, theirs) = (guests, other.guests)
      return publicPermission == other.publicPermission && own.count == theirs.count
        && own.allSatisfy { one in
          theirs.contains {
            $0.isSamePerson(as: one) && $0.permission == one.permission && $0.role == one.role
          }
        }
    }

    fileprivate var guests: [CKShare.Participant] { participants.filter { $0.role != .owner } }
  }

  init(root: CKRecord.ID?, participants: [CKShare.Participant]) {
    self.root = root
    self.participants = participants
  }

  private var terms: Terms { Terms(publicPermission: publicPermission, participants: participants) }

  /// Whether permissions or participants have changed since the share was created, fetched or
  /// saved.
  var areTermsChanged: Bool { formerTerms.map { !$0.are(terms) } ?? true }

  /// Returns the program's decisions about people since the share was fetched or saved.
  ///
  /// - Parameter known: The participants of the saved share. They name the users that the server
  ///   found for e-mail addresses and telephone numbers.
  func decisions(
    savedAs known: [CKShare.Participant], _ userRecordName: (CKRecord.ID) -> String
  ) -> ShareDecisions {
    func name(_ person: CKShare.Participant) -> String? {
      let named = known.first { $0.isSamePerson(as: person) } ?? person
      return named.userIdentity.userRecordID.map(userRecordName)
    }
    let (former, present) = (formerTerms?.guests ?? [], terms.guests)
    var decisions = ShareDecisions(
      removing: Set(
        former.filter { one in !present.contains { $0.isSamePerson(as: one) } }.compactMap(name)))
    for person in present {
      let before = former.first { $0.isSamePerson(as: person) }
      guard let user = name(person) else { continue }
      if before?.permission != person.permission {
        decisions.people[user] = ShareDecisions.Permission(
          mayWrite: person.permission == .readWrite)
      }
      if before?.role != person.role { decisions.roles[user] = person.role == .administrator }
    }
    let (wasOpen, isOpen) = (
      formerTerms.map { Self.isOpen($0.publicPermission) } ?? false, Self.isOpen(publicPermission)
    )
    if wasOpen || isOpen {
      decisions.everyone = ShareDecisions.Permission(
        mayWrite: isOpen ? publicPermission == .readWrite : nil)
    }
    return decisions
  }

  /// Whether terms or access requests have changed.
  var isChanged: Bool { areTermsChanged || requests.isChanged }

  /// Marks the current terms as those of the server.
  mutating func noteTerms() { formerTerms = copied().terms }

  /// The share with its original values.
  var unchanged: Sharing {
    guard let formerTerms else { return self }
    var sharing = self
    sharing.requests = requests.unchanged
    (sharing.publicPermission, sharing.participants) = (
      formerTerms.publicPermission, formerTerms.participants
    )
    return sharing.copied()
  }

  /// Sets the public permission.
  ///
  /// Making the share public removes pending invitations. Making it private removes all
  /// participants but the owner. Participants who are added afterwards are invited when the share
  /// is saved.
  mutating func setPublicPermission(_ permission: CKShare.ParticipantPermission) {
    let (wasOpen, isOpen) = (Self.isOpen(publicPermission), Self.isOpen(permission))
    publicPermission = permission
    if isOpen {
      participants.removeAll { $0.role != .owner && $0.acceptanceStatus == .pending }
    } else if wasOpen {
      participants.removeAll { $0.role != .owner }
    }
  }

  private static func isOpen(_ permission: CKShare.ParticipantPermission) -> Bool {
    permission == .readOnly || permission == .readWrite
  }

  /// Adds or replaces a participant.
  ///
  /// The owner stays unchanged.
  mutating func add(_ participant: CKShare.Participant) {
    guard let known = participants.firstIndex(where: { $0.isSamePerson(as: participant) }) else {
      return participants.append(participant)
    }
    if participants[known].role != .owner { participants[known] = participant }
  }

  mutating func remove(_ participant: CKShare.Participant) {
    participants.removeAll { $0.isSamePerson(as: participant) }
  }

  /// Blocks requesters, and removes those who are participants.
  mutating func block(_ requesters: [CKShare.AccessRequester]) {
    requests.block(requesters)
    participants.removeAll { participant in
      participant.role != .owner
        && requesters.contains { $0.userIdentity.isSamePerson(as: participant.userIdentity) }
    }
  }

  /// Whether the server's share grants the same permissions to the same people.
  func isGranted(by other: Sharing?) -> Bool {
    other.map { terms.are($0.terms) && requests.isGranted(by: $0.requests) } ?? false
  }

  /// The server's share, with the changes that the app made while the share was being saved.
  ///
  /// - Parameters:
  ///   - now: The app's current share.
  ///   - sent: The share as it was sent.
  func changed(as now: Sharing?, since sent: Sharing?) -> Sharing {
    guard let now, let sent else { return self }
    var changed = self
    changed.requests = requests.changed(as: now.requests, since: sent.requests)
    guard !now.terms.are(sent.terms) else { return changed }
    if now.publicPermission != sent.publicPermission {
      changed.setPublicPermission(now.publicPermission)
    }
    // If the app made the share private, its current participants were all added afterwards.
    let closes = Self.isOpen(sent.publicPermission) && !Self.isOpen(now.publicPermission)
    for gone in sent.participants where !now.has(gone) { changed.remove(gone) }
    for one in now.participants {
      let before = sent.participants.first { $0.isSamePerson(as: one) }
      if closes || before?.permission != one.permission || before?.role != one.role {
        changed.take(one)
      }
    }
    return changed
  }

  private func has(_ participant: CKShare.Participant) -> Bool {
    participants.contains { $0.isSamePerson(as: participant) }
  }

  /// Sets a participant's role and permission.
  ///
  /// A participant that the server knows keeps its other values.
  private mutating func take(_ participant: CKShare.Participant) {
    guard let known = participants.first(where: { $0.isSamePerson(as: participant) }) else {
      return add(participant)
    }
    (known.role, known.permission) = (participant.role, participant.permission)
  }

  /// A share with independent participants.
  func copied() -> Sharing {
    var copy = self
    copy.participants = participants.compactMap { $0.copy() as? CKShare.Participant }
    return copy
  }
}

// MARK: Archives

extension Sharing {
  /// Decodes a share; nil if the archive contains none.
  init?(coder: NSCoder) {
    guard coder.containsValue(forKey: Key.participants),
      let participants = coder.decodeObject(
        of: [NSArray.self, CKShareParticipant.self], forKey: Key.participants)
        as? [CKShareParticipant],
      let permission = CKShare.ParticipantPermission(
        rawValue: coder.decodeInteger(forKey: Key.publicPermission))
    else { return nil }
    self.init(root: coder.object(CKRecord.ID.self, Key.root), participants: participants)
    publicPermission = permission
    url = coder.text(Key.url).flatMap { URL(string: $0) }
    requests = Requests(coder: coder)
    formerTerms = Terms(coder: coder)
    // An archive stores equal objects once, so a participant may also be in the former terms. Copy
    // the participants, so that a change does not affect the former terms.
    self = copied()
  }

  func encode(with coder: NSCoder) {
    coder.encode(participants as NSArray, forKey: Key.participants)
    coder.encode(publicPermission.rawValue, forKey: Key.publicPermission)
    if let root { coder.encode(root, forKey: Key.root) }
    if let url { coder.encode(url.absoluteString as NSString, forKey: Key.url) }
    requests.encode(with: coder)
    formerTerms?.encode(with: coder)
  }

  fileprivate enum Key {
    static let participants = "Participants"
    static let publicPermission = "PublicPermission"
    static let root = "RootRecordID"
    static let url = "ShareURL"
    static let formerParticipants = "FormerParticipants"
    static let formerPublicPermission = "FormerPublicPermission"
  }
}

extension Sharing.Terms {
  /// Decodes terms; nil if the archive contains none, because the share was never fetched or saved.
  fileprivate init?(coder: NSCoder) {
    guard
      let participants = coder.list(of: CKShareParticipant.self, Sharing.Key.formerParticipants),
      let permission = CKShare.ParticipantPermission(
        rawValue: coder.decodeInteger(forKey: Sharing.Key.formerPublicPermission))
    else { return nil }
    self.init(publicPermission: permission, participants: participants)
  }

  fileprivate func encode(with coder: NSCoder) {
    coder.encode(participants as NSArray, forKey: Sharing.Key.formerParticipants)
    coder.encode(publicPermission.rawValue, forKey: Sharing.Key.formerPublicPermission)
  }
}
