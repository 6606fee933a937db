public import Foundation

extension CKContainer {
  /// Fetches the metadata of a share by its URL.
  public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
    guard let result = try await shareMetadatas(for: [url])[url] else {
      throw CKError(.internalError, "The server's response does not contain \(url).")
    }
    return try result.get()
  }

  /// Fetches the metadata of a share that the server's invitation page handed over with a token.
  func shareMetadata(for url: URL, handover: String) async throws -> CKShare.Metadata {
    let found: [URL: Result<CKShare.Metadata, any Error>] = try await results(for: [url]) {
      try await work().shareMetadata([url], RootRecordOption(), handover: handover, $0)
    }
    guard let result = found[url] else {
      throw CKError(.internalError, "The server's response does not contain \(url).")
    }
    return try result.get()
  }

  /// Fetches the metadata of shares by their URLs.
  ///
  /// - Returns: A result for each URL.
  public func shareMetadatas(for urls: [URL]) async throws -> [URL: Result<
    CKShare.Metadata, any Error
  >] {
    try await results(for: urls) { try await work().shareMetadata(urls, RootRecordOption(), $0) }
  }

  /// Accepts a share by its metadata.
  @discardableResult
  public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
    guard let result = try await accept([metadata])[metadata] else {
      throw CKError(.internalError, "The server's response does not contain the share.")
    }
    return try result.get()
  }

  /// Accepts shares by their metadata.
  ///
  /// - Returns: A result for each share.
  public func accept(_ metadatas: [CKShare.Metadata]) async throws -> [CKShare.Metadata: Result<
    CKShare, any Error
  >] {
    try await results(for: metadatas) { try await work().accept(metadatas, $0) }
  }

  /// Requests access to shares by their URLs.
  ///
  /// - Returns: A result for each URL. Success means that the owner received the request.
  public func requestShareAccess(for urls: [URL]) async throws -> [URL: Result<Void, any Error>] {
    try await results(for: urls) { try await work().requestAccess(urls, $0) }
  }

  /// Fetches the metadata of a share by its URL.
  public func fetchShareMetadata(
    with url: URL, completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.shareMetadata(for: url) }
  }

  /// Accepts a share by its metadata.
  public func accept(
    _ metadata: CKShare.Metadata,
    completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.accept(metadata) }
  }
}
