public import Foundation

extension CKContainer {
  /// Looks at a share by its address.
  public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
    guard let result = try await shareMetadatas(for: [url])[url] else {
      throw CKError(.internalError, "The server said nothing of \(url).")
    }
    return try result.get()
  }

  /// Looks at shares by their addresses.
  ///
  /// - Returns: What each leads to.
  public func shareMetadatas(for urls: [URL]) async throws -> [URL: Result<
    CKShare.Metadata, any Error
  >] {
    try await results(for: urls) { try await work().shareMetadata(urls, RootRecordOption(), $0) }
  }

  /// Accepts a share that was looked at.
  @discardableResult
  public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
    guard let result = try await accept([metadata])[metadata] else {
      throw CKError(.internalError, "The server said nothing of the share.")
    }
    return try result.get()
  }

  /// Accepts shares that were looked at.
  ///
  /// - Returns: What became of each.
  public func accept(_ metadatas: [CKShare.Metadata]) async throws -> [CKShare.Metadata: Result<
    CKShare, any Error
  >] {
    try await results(for: metadatas) { try await work().accept(metadatas, $0) }
  }

  /// Asks the owners of shares to be let in, by the shares' addresses.
  ///
  /// - Returns: What became of each request: that an owner was asked is a success.
  public func requestShareAccess(for urls: [URL]) async throws -> [URL: Result<Void, any Error>] {
    try await results(for: urls) { try await work().requestAccess(urls, $0) }
  }

  /// Looks at a share by its address.
  public func fetchShareMetadata(
    with url: URL, completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.shareMetadata(for: url) }
  }

  /// Accepts a share that was looked at.
  public func accept(
    _ metadata: CKShare.Metadata,
    completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.accept(metadata) }
  }
}
