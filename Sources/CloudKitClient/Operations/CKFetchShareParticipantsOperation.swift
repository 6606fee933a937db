import Foundation

// Sendable: the program sets properties before it adds the operation.
/// Makes participants of those who are to be invited, by what others know of them.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
  /// How they are looked for.
  open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?

  /// Is told of each one.
  open var perShareParticipantResultBlock:
    (@Sendable (CKUserIdentity.LookupInfo, Result<CKShare.Participant, any Error>) -> Void)?
  /// Is told the end.
  open var fetchShareParticipantsResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Is told of each one.
  @available(*, deprecated, message: "Use perShareParticipantResultBlock.")
  open var shareParticipantFetchedBlock: (@Sendable (CKShare.Participant) -> Void)? {
    get { olderItemBlock }
    set { olderItemBlock = newValue }
  }
  /// Is told the end.
  @available(*, deprecated, message: "Use fetchShareParticipantsResultBlock.")
  open var fetchShareParticipantsCompletionBlock: (@Sendable ((any Error)?) -> Void)? {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderItemBlock: (@Sendable (CKShare.Participant) -> Void)?
  private var olderFinalBlock: (@Sendable ((any Error)?) -> Void)?

  /// An operation that does nothing until it is told what.
  public override init() { super.init() }

  /// An operation that makes participants.
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

  private static let wishKey = "UserIdentityLookupInfos"

  override func encodeWish(with coder: NSCoder) -> Bool {
    coder.encode(list: userIdentityLookupInfos, forKey: Self.wishKey)
    return true
  }

  override func decodeWish(from coder: NSCoder) -> Bool {
    userIdentityLookupInfos = coder.list(of: CKUserIdentity.LookupInfo.self, Self.wishKey)
    return true
  }

  package override func conclude(_ error: CKError?) {
    fetchShareParticipantsResultBlock?(Result(error))
    olderFinalBlock?(error)
  }
}
