package import CloudRecords

extension ShareRules {
  /// Notes who begins to see by a share with a change of it, and forgets it of those who see no
  /// more.
  ///
  /// Who sees again begins anew: what came and went meanwhile is none of its business.
  ///
  /// - Parameters:
  ///   - former: The share before the change.
  ///   - position: The last one of the zone before the change.
  package static func noteSights(
    in share: inout ShareDetails, since former: ShareDetails, at position: UInt64
  ) {
    for index in share.participants.indices {
      let participant = share.participants[index]
      let before = former.participants.first { $0.identifier == participant.identifier }
      share.participants[index].sightBegun =
        if !sees(participant) { nil } else if let before, sees(before) { before.sightBegun } else {
          position
        }
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
