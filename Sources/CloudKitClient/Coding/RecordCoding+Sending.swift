package import CloudRecords
import CloudWire
import Foundation

/// Encodes the details of shares.
extension RecordCoding {
  func fill(_ input: inout RecordInput, _ sharing: Sharing, isNew: Bool) {
    if isNew, let root = sharing.root {
      input.root = RecordInput.Root(recordName: root.recordName, recordChangeTag: nil)
    }
    if sharing.requests.isChanged { input.requests = requests(sharing.requests) }
    guard isNew || sharing.areTermsChanged else { return }
    input.publicPermission = sharing.publicPermission.wire
    // The server knows the owner. All other participants must be listed to stay.
    input.participants = sharing.participants.filter { $0.role != .owner }.map { self.input($0) }
  }

  private func requests(_ requests: Sharing.Requests) -> ShareRequestsInput {
    var input = ShareRequestsInput()
    input.areAllowed = requests.areAllowed
    input.denied = requests.denied.map { identity($0.userIdentity) }
    input.blocked = requests.stated.blocked.map { identity($0.userIdentity) }
    return input
  }

  private func input(_ participant: CKShare.Participant) -> ParticipantInput {
    var input = ParticipantInput()
    input.identifier = participant.participantID.isEmpty ? nil : participant.participantID
    input.identity = identity(participant.userIdentity)
    input.role = participant.role.wire
    input.permission = participant.permission.wire
    input.isOneTime = participant.isOneTime && participant.acceptanceStatus == .pending
    return input
  }

  /// The form of a user identity in requests.
  package func identity(_ identity: CKUserIdentity) -> UserIdentity {
    UserIdentity(
      userRecordName: identity.userRecordID.map { userRecordName($0) },
      lookupInfo: identity.lookupInfo.flatMap { lookupInfo($0) })
  }

  /// The form of lookup information in requests; nil if it is empty.
  package func lookupInfo(_ info: CKUserIdentity.LookupInfo) -> UserIdentity.LookupInfo? {
    if let address = info.emailAddress { return .emailAddress(address) }
    if let number = info.phoneNumber { return .phoneNumber(number) }
    return info.userRecordID.map { .userRecordName(userRecordName($0)) }
  }

  /// A user's record name on the wire, without the API's placeholder for the current user.
  func userRecordName(_ recordID: CKRecord.ID) -> String {
    recordID.recordName == CKCurrentUserDefaultName
      ? currentUser ?? recordID.recordName : recordID.recordName
  }
}

extension CKShare.ParticipantPermission {
  /// The permission in requests.
  var wire: ShareParticipant.Permission {
    switch self {
    case .readWrite: .readWrite
    case .readOnly: .readOnly
    default: .none
    }
  }
}

extension CKShare.ParticipantRole {
  /// The role in requests.
  fileprivate var wire: ShareParticipant.Role {
    switch self {
    case .owner: .owner
    case .administrator: .administrator
    case .publicUser: .publicUser
    default: .user
    }
  }
}
