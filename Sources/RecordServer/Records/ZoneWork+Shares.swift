import CloudRecords
import CloudSchema
import CloudWire
import RecordStorage

extension ZoneWork {
  func proposal(_ input: RecordInput) -> ShareRules.Proposal {
    let participants = input.participants?.map { given in
      var proposed = ShareRules.ProposedParticipant(
        identifier: given.identifier, identity: identity(given.identity), role: given.role,
        permission: given.permission, acceptance: given.acceptance)
      proposed.isOneTime = given.isOneTime
      return proposed
    }
    return ShareRules.Proposal(
      publicPermission: input.publicPermission, participants: participants, requests: input.requests
    )
  }

  /// Replaces the current user's alias, which clients may use, by the caller's name.
  private func identity(_ given: UserIdentity) -> UserIdentity {
    let own = RecordZoneIdentifier.currentOwnerName
    var identity = given
    if identity.userRecordName == own { identity.userRecordName = caller.userRecordName }
    if identity.lookupInfo == .userRecordName(own) {
      identity.lookupInfo = caller.userRecordName.map { .userRecordName($0) }
    }
    return identity
  }

  /// Assigns the short identifier of a record's future share.
  func assignShortIdentifier(_ record: inout StoredRecord, _ input: RecordInput) {
    guard input.createShortGUID, record.shortIdentifier == nil, !access.isPublic else { return }
    record.shortIdentifier = newNames(for: record).next()
  }

  private func newNames(for record: StoredRecord) -> NameSource {
    batch.names(for: RecordIdentifier(recordName: record.recordName, zone: access.identifier))
  }

  func createShare(_ record: inout StoredRecord, _ input: RecordInput) throws {
    guard let identity = user?.identity else {
      throw CloudError(.authenticationRequired, "Sharing needs a user.")
    }
    let names = newNames(for: record)
    let isZoneShare = record.recordName == ShareDetails.zoneShareName
    var share = try ShareRules.create(
      owner: identity, rootName: isZoneShare ? nil : input.root?.recordName,
      proposal: proposal(input),
      limits: batch.limits, makeIdentifier: names.next)
    ShareRules.recordAdditions(in: &share, since: nil, at: batch.now)
    inviteByMail(&share, named: record.recordName, since: nil, names)
    record.share = share
    record.shortIdentifier = names.next()
    if isZoneShare {
      try shareZone(record)
    } else {
      guard input.root != nil else {
        throw CloudError(
          .badRequest,
          "A share needs forRecord, the record that it is for; the share of a whole zone is named \(ShareDetails.zoneShareName)."
        )
      }
      try shareRecord(record)
    }
  }

  func shareZone(_ share: StoredRecord) throws(CloudError) {
    guard draft.zone.recordShareCount == 0 else {
      throw CloudError(
        .badRequest,
        "The zone has shares of single records, so it cannot be shared as a whole. End them first.",
        extension: .alreadyShared)
    }
    draft.changeZone { $0.zoneShareName = share.recordName }
  }

  func shareRecord(_ share: StoredRecord) throws(CloudError) {
    guard draft.zone.zoneShareName == nil else {
      throw CloudError(
        .badRequest, "The zone is shared as a whole, so its records cannot be shared one by one.",
        extension: .alreadyShared)
    }
    draft.changeZone { $0.recordShareCount += 1 }
  }

  /// Connects a new share with its root record, which may come later in the batch.
  func tieToRoot(_ share: StoredRecord, _ input: RecordInput) throws {
    guard let wanted = input.root, let rootName = share.share?.rootName else { return }
    guard var root = try draft.record(rootName) else {
      throw CloudError(.notFound, "Cannot share - no such record exists to share: “\(rootName)”")
    }
    if root.shareName == share.recordName { return }
    if let tag = wanted.recordChangeTag, !draft.isChanged(rootName), tag != RecordTag.text(root.tag)
    {
      throw CloudError(.conflict, "The record “\(rootName)” was changed since the tag \(tag).")
    }
    guard try draft.covering(root) == nil else {
      throw CloudError(
        .badRequest, "The record “\(rootName)” belongs to a share already.",
        extension: .alreadyShared)
    }
    root.shareName = share.recordName
    if let known = root.shortIdentifier {
      // A record that is shared again keeps its link.
      var share = share
      share.shortIdentifier = known
      draft.save(share)
    } else {
      root.shortIdentifier = share.shortIdentifier
    }
    draft.save(root)
  }

  func changeShare(_ record: inout StoredRecord, _ input: RecordInput, replaces: Bool) throws {
    guard let share = record.share else { return }
    let subject = access.subject(ofShare: record)
    let wanted = proposal(input)
    let names = newNames(for: record)
    let changed = try ShareRules.change(
      share, wanted, people: try people(of: share, for: wanted, subject), limits: batch.limits,
      makeIdentifier: names.next)
    let changesPeople =
      changed.participants != share.participants || changed.requests != share.requests
    let known = try sealing.opened(record)
    let fields = try RecordMerge.fields(
      input.fields, over: known, replaces: replaces, as: schema.schema[type: record.recordType])
    // Clients send all values of a share that they have read, so only differences are changes.
    let changesOthers = changed.publicPermission != share.publicPermission || fields != known
    if changesPeople || !changesOthers { try allow(.manageParticipants, on: subject) }
    if changesOthers { try allow(.changeShare, on: subject) }
    var noted = changed
    ShareRules.recordVisibility(in: &noted, since: share, at: draft.zone.lastPosition)
    ShareRules.recordAdditions(in: &noted, since: share, at: batch.now)
    inviteByMail(&noted, named: record.recordName, since: share, names)
    record.share = noted
    endedLinks += share.oneTimeNames.filter { !noted.oneTimeNames.contains($0) }
    removedParticipants.formUnion(ShareRules.removedParticipants(from: share, by: changed))
  }

  /// Collects the participants that were added by e-mail address, to send them invitations.
  ///
  /// Participants without a known user get one-time links.
  private func inviteByMail(
    _ share: inout ShareDetails, named name: String, since former: ShareDetails?,
    _ names: NameSource
  ) {
    guard batch.sendsMail else { return }
    let known = Set(former?.participants.map(\.identifier) ?? [])
    for index in share.participants.indices {
      let guest = share.participants[index]
      guard guest.acceptance == .invited, !known.contains(guest.identifier),
        case .emailAddress = guest.identity.lookupInfo
      else { continue }
      if guest.identity.knownName == nil { share.participants[index].oneTimeName = names.next() }
      mailed.append((name, guest.identifier))
    }
  }

  /// The account data of participants that a manager's proposal depends on.
  private func people(
    of share: ShareDetails, for proposal: ShareRules.Proposal, _ subject: Subject
  ) throws -> [ShareVisitor] {
    guard Permission.decide(.manageParticipants, by: caller, on: subject) == .allowed else {
      return []
    }
    let directory = UserDirectory(realm: batch.call.realm)
    return try ShareRules.needsAccounts(of: share, for: proposal).compactMap { name in
      try directory.user(named: name, in: transaction).map { ShareVisitor(named: name, $0) }
    }
  }

  /// Deletes a share: the owner ends it, and a participant leaves it.
  func endOrLeave(_ record: StoredRecord) throws {
    let subject = access.subject(ofShare: record)
    if case .own = subject { return try cascade(from: record) }
    try leave(record, subject)
  }

  /// Unlinks a share's root record or zone before the share is deleted.
  func end(_ share: ShareDetails, named name: String) throws {
    try allow(.endShare, on: shareSubject)
    if var root = try share.rootName.flatMap({ try draft.record($0) }), root.shareName == name {
      root.shareName = nil
      draft.save(root)
    }
    draft.changeZone { zone in
      if zone.zoneShareName == name { zone.zoneShareName = nil } else { zone.recordShareCount -= 1 }
    }
    removedParticipants.formUnion(ShareRules.removedParticipants(from: share, by: nil))
  }

  func leave(_ record: StoredRecord, _ subject: Subject) throws {
    guard let share = record.share else { return }
    try allow(.leaveShare, on: subject)
    var left = record
    left.share = ShareRules.leave(share, userRecordName: caller.userRecordName ?? "")
    left.modified = RecordStamp(time: batch.now, userRecordName: caller.userRecordName ?? "")
      .notBefore(left.created)
    draft.save(left)
    endedLinks += share.oneTimeNames.filter { left.share?.oneTimeNames.contains($0) != true }
    removedParticipants.formUnion(ShareRules.removedParticipants(from: share, by: left.share))
    events.append(RecordEvent(event: .update, record: left))
  }
}
