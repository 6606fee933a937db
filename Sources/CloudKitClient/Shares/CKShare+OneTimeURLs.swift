public import Foundation

/// One-time URLs: invitations of people whose addresses the owner does not know.
///
/// ```swift
/// let guest = CKShare.Participant.oneTimeURLParticipant()
/// share.addParticipant(guest)
/// try await database.save(share)
/// let url = share.oneTimeURL(for: guest.participantID)      // for one person
/// ```
extension CKShare {
  /// Returns the URL by which one person can accept the share as a participant.
  ///
  /// The first person who accepts by the URL becomes the participant. The URL stays the same until
  /// then. Afterwards it invites no other person, and this method returns the share's ordinary URL.
  ///
  /// - Returns: The URL; nil if the share is not saved or has no such participant. Also nil if the
  ///   participant was invited otherwise, or if the caller may not manage the share.
  public func oneTimeURL(for participantID: CKShare.Participant.ID) -> URL? {
    guard
      let participant = participants.first(where: { $0.participantID == participantID }),
      participant.isOneTime
    else { return nil }
    return participant.acceptanceStatus == .pending ? participant.oneTimeURL : url
  }
}

extension CKShareParticipant {
  /// Creates a participant who is invited by a URL that one person can use.
  ///
  /// The participant has no name until a person accepts. It may read; set `permission` to change
  /// that.
  public class func oneTimeURLParticipant() -> CKShareParticipant {
    CKShareParticipant(
      CKUserIdentity(userRecordID: nil), role: .privateUser, permission: .readOnly,
      acceptance: .pending, participantID: UUID().uuidString, isOneTime: true)
  }
}
