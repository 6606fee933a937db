import Foundation

// Sendable: properties are set before the operation is added.
/// An operation that accepts shares.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
  /// The metadata of the shares to accept.
  open var shareMetadatas: [CKShare.Metadata]?

  /// Called with the result for each share.
  open var perShareResultBlock: (@Sendable (CKShare.Metadata, Result<CKShare, any Error>) -> Void)?
  /// Called when the operation completes.
  open var acceptSharesResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Called with the result for each share.
  @available(*, deprecated, message: "Use perShareResultBlock.")
  open var perShareCompletionBlock: (@Sendable (CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
  {
    get { olderItemBlock }
    set { olderItemBlock = newValue }
  }
  /// Called when the operation completes.
  @available(*, deprecated, message: "Use acceptSharesResultBlock.")
  open var acceptSharesCompletionBlock: (@Sendable ((any Error)?) -> Void)? {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderItemBlock: (@Sendable (CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
  private var olderFinalBlock: (@Sendable ((any Error)?) -> Void)?

  /// Creates an empty operation.
  public override init() { super.init() }

  /// Creates an operation that accepts shares.
  public convenience init(shareMetadatas: [CKShare.Metadata]) {
    self.init()
    self.shareMetadatas = shareMetadatas
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    var errors = ItemErrors()
    var rest = (shareMetadatas ?? [])[...]
    do throws(CKError) {
      try await work.accept(shareMetadatas ?? []) { metadata, result in
        if let place = rest.firstIndex(of: metadata) { rest.remove(at: place) }
        errors.note(metadata, result)
        reportResult(metadata, result)
      }
    } catch {
      for metadata in rest { reportResult(metadata, .failure(error)) }
      throw error
    }
    try errors.check()
  }

  private func reportResult(_ metadata: CKShare.Metadata, _ result: Result<CKShare, CKError>) {
    perShareResultBlock?(metadata, result.plain)
    olderItemBlock?(metadata, try? result.get(), result.error)
  }

  override func failEach(_ error: CKError) {
    for metadata in shareMetadatas ?? [] { reportResult(metadata, .failure(error)) }
  }

  // MARK: Long-lived operations

  private static let requestKey = "ShareMetadatas"

  override func encodeRequest(with coder: NSCoder) -> Bool {
    coder.encode(list: shareMetadatas, forKey: Self.requestKey)
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    shareMetadatas = coder.list(of: CKShare.Metadata.self, Self.requestKey)
    return true
  }

  package override func conclude(_ error: CKError?) {
    acceptSharesResultBlock?(Result(error))
    olderFinalBlock?(error)
  }
}
