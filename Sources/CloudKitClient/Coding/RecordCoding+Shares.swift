package import CloudRecords
import Foundation

/// Decodes shares and their participants.
extension RecordCoding {
  func sharing(_ details: ShareDetails, _ shortIdentifier: String?, in zoneID: CKRecordZone.ID)
    -> Sharing
  {
    let root = details.rootName.map { CKRecord.ID(received: $0, zoneID: zoneID) }
    var sharing = Sharing(root: root, participants: details.participants.map { participant($0) })
    sharing.publicPermission = CKShare.ParticipantPermission(details.publicPermission)
    sharing.requests = Sharing.Requests(
      .init(
        areAllowed: details.requests.areAllowed,
        requesters: details.requests.requesters.compactMap {
          CKShare.AccessRequester(identity($0))
        },
        blocked: details.requests.blocked.map { CKShare.BlockedIdentity(identity($0)) }))
    sharing.url = shortIdentifier.flatMap { url(ofShare: $0) }
    sharing.noteTerms()
    return sharing
  }

  private func url(ofShare shortIdentifier: String) -> URL? {
    shareAddress.flatMap { URL(string: $0 + shortIdentifier) }
  }

  /// Decodes a participant.
  package func participant(_ participant: ShareParticipant) -> CKShare.Participant {
    CKShare.Participant(
      identity(participant.identity), role: CKShare.ParticipantRole(participant.role),
      permission: CKShare.ParticipantPermission(participant.permission),
      acceptance: CKShare.ParticipantAcceptanceStatus(participant.acceptance),
      participantID: participant.identifier,
      isApprovedRequester: participant.isApprovedRequester,
      added: participant.added.map { Date($0) }, isOneTime: participant.oneTimeName != nil,
      oneTimeURL: participant.oneTimeName.flatMap { url(ofShare: $0) },
      joinProof: participant.joinProof)
  }

  /// Decodes a user identity.
  package func identity(_ identity: UserIdentity) -> CKUserIdentity {
    CKUserIdentity(
      userRecordID: identity.userRecordName.map { user($0) },
      lookupInfo: identity.lookupInfo.map { lookupInfo($0) },
      nameComponents: identity.nameComponents.map { PersonNameComponents($0) })
  }

  private func lookupInfo(_ info: UserIdentity.LookupInfo) -> CKUserIdentity.LookupInfo {
    switch info {
    case .emailAddress(let address): CKUserIdentity.LookupInfo(emailAddress: address)
    case .phoneNumber(let number): CKUserIdentity.LookupInfo(phoneNumber: number)
    case .userRecordName(let name): CKUserIdentity.LookupInfo(userRecordID: user(name))
    }
  }
}

extension PersonNameComponents {
  fileprivate init(_ name: UserIdentity.NameComponents) {
    self.init()
    namePrefix = name.namePrefix
    givenName = name.givenName
    middleName = name.middleName
    familyName = name.familyName
    nameSuffix = name.nameSuffix
    nickname = name.nickname
  }
}

extension CKShare.ParticipantRole {
  init(_ role: ShareParticipant.Role) {
    self =
      switch role {
      case .owner: .owner
      case .administrator: .administrator
      case .user: .privateUser
      case .publicUser: .publicUser
      }
  }
}

extension CKShare.ParticipantPermission {
  init(_ permission: ShareParticipant.Permission) {
    self =
      switch permission {
      case .none: .none
      case .readOnly: .readOnly
      case .readWrite: .readWrite
      }
  }
}

extension CKShare.ParticipantAcceptanceStatus {
  init(_ acceptance: ShareParticipant.Acceptance) {
    self =
      switch acceptance {
      case .invited: .pending
      case .accepted: .accepted
      case .removed: .removed
      }
  }
}
