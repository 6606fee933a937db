public import Foundation

// Sendable: properties are set before the operation is added.
/// An operation that requests access to shares by their URLs.
///
/// The owner and administrators find the request in ``CKShare/requesters``. A request by a
/// participant, or for a share that is open to everyone, has no effect and succeeds. A request by
/// an invited user fails with `participantAlreadyInvited`, because the user only has to accept.
open class CKShareRequestAccessOperation: CKOperation, @unchecked Sendable {
  /// The URLs of the shares.
  open var shareURLs: [URL]?

  /// Called with the result for each request.
  ///
  /// Success means that the owner received the request. If the share does not allow requests, the
  /// request fails with `unknownItem`, as if the share did not exist.
  open var perShareAccessRequestResultBlock: (@Sendable (URL, Result<Void, any Error>) -> Void)?
  /// Called when the operation completes.
  open var shareAccessRequestResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?

  /// Creates an empty operation.
  public override init() { super.init() }

  /// Creates an operation that requests access to shares.
  public convenience init(shareURLs: [URL]) {
    self.init()
    self.shareURLs = shareURLs
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    var errors = ItemErrors()
    var rest = (shareURLs ?? [])[...]
    do throws(CKError) {
      try await work.requestAccess(shareURLs ?? []) { url, result in
        rest = rest.dropFirst()
        errors.note(url, result)
        perShareAccessRequestResultBlock?(url, result.plain)
      }
    } catch {
      for url in rest { perShareAccessRequestResultBlock?(url, .failure(error)) }
      throw error
    }
    try errors.check()
  }

  override func failEach(_ error: CKError) {
    for url in shareURLs ?? [] { perShareAccessRequestResultBlock?(url, .failure(error)) }
  }

  // MARK: Long-lived operations

  private enum RequestKey {
    static let urls = "ShareURLs"
  }

  override func encodeRequest(with coder: NSCoder) -> Bool {
    coder.encode(texts: shareURLs?.map(\.absoluteString), forKey: RequestKey.urls)
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    shareURLs = coder.texts(RequestKey.urls)?.compactMap { URL(string: $0) }
    return true
  }

  package override func conclude(_ error: CKError?) {
    shareAccessRequestResultBlock?(Result(error))
  }
}
