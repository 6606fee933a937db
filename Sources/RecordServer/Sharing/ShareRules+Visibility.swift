package import CloudRecords

extension ShareRules {
  /// Records the position at which each participant got access to a share's records, and removes it
  /// when access ends.
  ///
  /// A participant who regains access gets a new position, and so no changes from the time between.
  ///
  /// - Parameters:
  ///   - former: The share before the change.
  ///   - position: The zone's last position before the change.
  package static func recordVisibility(
    in share: inout ShareDetails, since former: ShareDetails, at position: UInt64
  ) {
    for index in share.participants.indices {
      let participant = share.participants[index]
      let before = former.participants.first { $0.identifier == participant.identifier }
      share.participants[index].visibleSince =
        if !sees(participant) { nil } else if let before, sees(before) { before.visibleSince } else
        {
          position
        }
    }
  }

  /// Records when participants were added to a share.
  package static func recordAdditions(
    in share: inout ShareDetails, since former: ShareDetails?, at now: Timestamp
  ) {
    for index in share.participants.indices {
      let identifier = share.participants[index].identifier
      let before = former?.participants.first { $0.identifier == identifier }
      share.participants[index].added = before.map(\.added) ?? now
    }
  }

  private static func sees(_ participant: ShareParticipant) -> Bool {
    guard participant.role != .owner, participant.acceptance == .accepted,
      let name = participant.identity.userRecordName
    else { return false }
    let standing = ShareRole.participant(participant.role, participant.permission)
    return Permission.decide(.readRecord, by: .user(name), on: .others(standing, .inTree))
      == .allowed
  }
}
