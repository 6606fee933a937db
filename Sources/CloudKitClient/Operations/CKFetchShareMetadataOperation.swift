public import Foundation

// Sendable: properties are set before the operation is added.
/// An operation that fetches the metadata of shares by their URLs.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
  /// The URLs of the shares.
  open var shareURLs: [URL]?
  /// Whether the root records are fetched too.
  open var shouldFetchRootRecord = false
  /// The fields of the root records to fetch; nil for all.
  open var rootRecordDesiredKeys: [CKRecord.FieldKey]?

  /// Called with the result for each URL.
  open var perShareMetadataResultBlock:
    (@Sendable (URL, Result<CKShare.Metadata, any Error>) -> Void)?
  /// Called when the operation completes.
  open var fetchShareMetadataResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Called with the result for each URL.
  @available(*, deprecated, message: "Use perShareMetadataResultBlock.")
  open var perShareMetadataBlock: (@Sendable (URL, CKShare.Metadata?, (any Error)?) -> Void)? {
    get { olderItemBlock }
    set { olderItemBlock = newValue }
  }
  /// Called when the operation completes.
  @available(*, deprecated, message: "Use fetchShareMetadataResultBlock.")
  open var fetchShareMetadataCompletionBlock: (@Sendable ((any Error)?) -> Void)? {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderItemBlock: (@Sendable (URL, CKShare.Metadata?, (any Error)?) -> Void)?
  private var olderFinalBlock: (@Sendable ((any Error)?) -> Void)?

  /// Creates an empty operation.
  public override init() { super.init() }

  /// Creates an operation that fetches the metadata of shares.
  public convenience init(shareURLs: [URL]) {
    self.init()
    self.shareURLs = shareURLs
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    var errors = ItemErrors()
    var rest = (shareURLs ?? [])[...]
    let root = RootRecordOption(
      wantsRoot: shouldFetchRootRecord, desiredKeys: rootRecordDesiredKeys)
    do throws(CKError) {
      try await work.shareMetadata(shareURLs ?? [], root) { url, result in
        if let place = rest.firstIndex(of: url) { rest.remove(at: place) }
        errors.note(url, result)
        reportResult(url, result)
      }
    } catch {
      for url in rest { reportResult(url, .failure(error)) }
      throw error
    }
    try errors.check()
  }

  private func reportResult(_ url: URL, _ result: Result<CKShare.Metadata, CKError>) {
    perShareMetadataResultBlock?(url, result.plain)
    olderItemBlock?(url, try? result.get(), result.error)
  }

  override func failEach(_ error: CKError) {
    for url in shareURLs ?? [] { reportResult(url, .failure(error)) }
  }

  // MARK: Long-lived operations

  private enum RequestKey {
    static let urls = "ShareURLs"
    static let wantsRoot = "ShouldFetchRootRecord"
    static let desiredKeys = "RootRecordDesiredKeys"
  }

  override func encodeRequest(with coder: NSCoder) -> Bool {
    coder.encode(texts: shareURLs?.map(\.absoluteString), forKey: RequestKey.urls)
    coder.encode(shouldFetchRootRecord, forKey: RequestKey.wantsRoot)
    coder.encode(texts: rootRecordDesiredKeys, forKey: RequestKey.desiredKeys)
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    shareURLs = coder.texts(RequestKey.urls)?.compactMap { URL(string: $0) }
    shouldFetchRootRecord = coder.decodeBool(forKey: RequestKey.wantsRoot)
    rootRecordDesiredKeys = coder.texts(RequestKey.desiredKeys)
    return true
  }

  package override func conclude(_ error: CKError?) {
    fetchShareMetadataResultBlock?(Result(error))
    olderFinalBlock?(error)
  }
}
