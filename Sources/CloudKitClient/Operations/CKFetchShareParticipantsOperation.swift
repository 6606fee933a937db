import Foundation

// Sendable: properties are set before the operation is added.
/// An operation that fetches users as share participants.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
  /// The lookup information of the users.
  open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?

  /// Called with the result for each user.
  open var perShareParticipantResultBlock:
    (@Sendable (CKUserIdentity.LookupInfo, Result<CKShare.Participant, any Error>) -> Void)?
  /// Called when the operation completes.
  open var fetchShareParticipantsResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Called for each participant.
  @available(*, deprecated, message: "Use perShareParticipantResultBlock.")
  open var shareParticipantFetchedBlock: (@Sendable (CKShare.Participant) -> Void)? {
    get { olderItemBlock }
    set { olderItemBlock = newValue }
  }
  /// Called when the operation completes.
  @available(*, deprecated, message: "Use fetchShareParticipantsResultBlock.")
  open var fetchShareParticipantsCompletionBlock: (@Sendable ((any Error)?) -> Void)? {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderItemBlock: (@Sendable (CKShare.Participant) -> Void)?
  private var olderFinalBlock: (@Sendable ((any Error)?) -> Void)?

  /// Creates an empty operation.
  public override init() { super.init() }

  /// Creates an operation that fetches participants.
  public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
    self.init()
    self.userIdentityLookupInfos = userIdentityLookupInfos
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    var rest = (userIdentityLookupInfos ?? [])[...]
    do throws(CKError) {
      try await work.participants(userIdentityLookupInfos ?? []) { info, participant in
        rest = rest.dropFirst()
        perShareParticipantResultBlock?(info, .success(participant))
        olderItemBlock?(participant)
      }
    } catch {
      for info in rest { perShareParticipantResultBlock?(info, .failure(error)) }
      throw error
    }
  }

  override func failEach(_ error: CKError) {
    for info in userIdentityLookupInfos ?? [] {
      perShareParticipantResultBlock?(info, .failure(error))
    }
  }

  // MARK: Long-lived operations

  private static let requestKey = "UserIdentityLookupInfos"

  override func encodeRequest(with coder: NSCoder) -> Bool {
    coder.encode(list: userIdentityLookupInfos, forKey: Self.requestKey)
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    userIdentityLookupInfos = coder.list(of: CKUserIdentity.LookupInfo.self, Self.requestKey)
    return true
  }

  package override func conclude(_ error: CKError?) {
    fetchShareParticipantsResultBlock?(Result(error))
    olderFinalBlock?(error)
  }
}
