public import Foundation

// Sendable: the program sets properties before it adds the operation.
/// Asks the owners of shares to let whoever is signed in take part, by the shares' addresses.
///
/// An owner decides about that by ``CKShare/requesters``. Whoever takes part, is invited or can
/// come by the address anyhow has nothing to ask for: that is no failure.
open class CKShareRequestAccessOperation: CKOperation, @unchecked Sendable {
  /// The addresses of the shares.
  open var shareURLs: [URL]?

  /// Is told what became of each request.
  ///
  /// That an owner was asked is a success. Of a share that takes no requests nothing is said but
  /// `unknownItem`.
  open var perShareAccessRequestResultBlock: (@Sendable (URL, Result<Void, any Error>) -> Void)?
  /// Is told the end.
  open var shareAccessRequestResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?

  /// An operation that does nothing until it is told what.
  public override init() { super.init() }

  /// An operation that asks the owners of shares.
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

  private enum WishKey {
    static let urls = "ShareURLs"
  }

  override func encodeWish(with coder: NSCoder) -> Bool {
    coder.encode(texts: shareURLs?.map(\.absoluteString), forKey: WishKey.urls)
    return true
  }

  override func decodeWish(from coder: NSCoder) -> Bool {
    shareURLs = coder.texts(WishKey.urls)?.compactMap { URL(string: $0) }
    return true
  }

  package override func conclude(_ error: CKError?) {
    shareAccessRequestResultBlock?(Result(error))
  }
}
