import CloudRecords
import CloudTransport
import Foundation
import Synchronization

/// Downloads the files of a record's assets.
///
/// The files are in a folder of the session, and are removed with the last asset that uses them.
struct AssetDownload: Sendable {
  let work: DatabaseWork
  /// Called with the progress of the record's files, from 0 to 1.
  var progress: @Sendable (Double) -> Void = { _ in }

  /// Downloads the files of a record, and decrypts sealed ones if requested.
  ///
  /// - Parameter sealed: The record as the server sent it.
  func download(of record: CKRecord, sealed: CloudRecord) async throws(CKError) {
    if let leavesFiles = work.leavesFiles {
      guard record.state.withLock({ $0.plain.contents.contains { !$1.assets.isEmpty } }),
        !leavesFiles(record)
      else {
        return
      }
    }
    try await download(of: record)
    guard work.opensFiles, work.session.vault.isOnDevice else { return }
    var failure: CKError?
    for (key, content) in record.state.withLock({ $0.plain.contents }).sorted(by: {
      $0.key < $1.key
    }) {
      for (place, asset) in content.assets.enumerated() {
        guard let path = asset.fileURL?.path, SealedFile.isSealed(at: path) else { continue }
        var opened = CKAsset(
          fileURL: nil, stored: asset.stored, origin: asset.origin, isSealed: true)
        do throws(CKError) {
          let file = try work.session.files.makeFile()
          try await work.session.vault.openFile(
            at: path, to: file.path, key: key, of: sealed, work.options)
          opened = CKAsset(file: file, of: asset, isSealed: true)
        } catch {
          failure = failure ?? error
        }
        // The app must never take a sealed file for its contents, so the asset is replaced even if
        // the file could not be opened.
        record.state.withLock { $0.plain.contents[key]?.replaceAsset(at: place, by: opened) }
      }
    }
    if let failure { throw failure }
  }

  private func download(of record: CKRecord) async throws(CKError) {
    let wanted = record.state.withLock { $0.plain.contents }
      .flatMap { entry in entry.value.assets.enumerated().map { (entry.key, $0.offset, $0.element) }
      }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    // The sum of the sizes that a server reports may exceed an integer.
    let sizes = wanted.map { Double($0.2.stored?.size ?? 0) }
    let total = max(1, sizes.reduce(0, +))
    var before = 0.0
    for ((key, index, asset), size) in zip(wanted, sizes) {
      guard let stored = asset.stored, asset.fileURL == nil else { continue }
      let begun = before
      let place = AssetAddress.Place(recordID: record.recordID, field: key)
      let file = try await file(of: asset, stored, place) {
        progress((begun + min(Double($0), size)) / total)
      }
      record.state.withLock { $0.plain.contents[key]?.replaceAsset(at: index, by: file) }
      before += size
    }
  }

  private func file(
    of asset: CKAsset, _ stored: AssetValue, _ place: AssetAddress.Place,
    _ progress: @escaping @Sendable (Int64) -> Void
  ) async throws(CKError) -> CKAsset {
    let address = try AssetAddress(of: stored, in: place)
    let (file, isBegun) = try work.session.files.file(for: stored)
    do throws(CKError) {
      try await fetch(address, stored, to: file.path, isBegun: isBegun, progress)
    } catch {
      // The next request for the same contents resumes the download.
      work.session.files.keep(file, partOf: stored)
      throw error
    }
    return CKAsset(file: file, of: asset)
  }

  private func fetch(
    _ address: AssetAddress, _ stored: AssetValue, to path: String, isBegun: Bool,
    _ progress: @escaping @Sendable (Int64) -> Void
  ) async throws(CKError) {
    var address = address
    var breaks = TransferInterruptions(size: Self.size(of: path))
    while true {
      let failure: RetryPolicy.Failure
      var request = TransportRequest(.get, work.session.address.absolute(address.text))
      // Parhelion's servers use the checksum as the ETag. Others send the whole file again.
      if isBegun { request.headers.append(("If-Range", Self.tag(stored))) }
      try work.options.limit(&request, at: work.session.dependencies.monotonicNow())
      switch await ask(request, stored, to: path, progress) {
      case .success(let answer) where answer.isSuccess: return try check(answer, path, stored)
      case .success(let answer) where answer.isOfExpiredAddress:
        // The partial file stays, because the new URL is for the same contents.
        try await address.renew(work)
        continue
      case .success(let answer): failure = Self.failure(answer)
      case .failure(let transportError): failure = .transport(transportError)
      }
      address.isNew = false
      breaks.note(size: Self.size(of: path))
      do throws(CKError) {
        try await work.session.pause(after: failure, attempt: breaks.attempt, work.options)
      } catch {
        throw Self.reported(error)
      }
    }
  }

  /// Converts the error of a download for the app.
  ///
  /// A file that the server lacks makes the asset unavailable. A local file error says nothing
  /// about the asset.
  private static func reported(_ error: CKError) -> CKError {
    switch error.code {
    case .unknownItem: CKError(.assetNotAvailable, userInfo: error.userInfo)
    case .assetFileNotFound: CKError(.internalError, userInfo: error.userInfo)
    default: error
    }
  }

  /// Sends one download request.
  ///
  /// After an interrupted response, the partial file stays only if the response announced the
  /// file's size. Otherwise it may be a proxy's page, which must not be resumed.
  private func ask(
    _ request: TransportRequest, _ stored: AssetValue, to path: String,
    _ progress: @escaping @Sendable (Int64) -> Void
  ) async -> Result<TransportResponse, TransportError> {
    let isOfFile = Atomic(true)
    do throws(TransportError) {
      let answer = try await work.session.transport.download(request, to: path) { done, total in
        isOfFile.store(total == stored.size, ordering: .relaxed)
        progress(done)
      }
      return .success(answer)
    } catch {
      // After a local file error, the announced size is unknown.
      if error.kind == .file || !isOfFile.load(ordering: .relaxed) { Self.remove(path) }
      return .failure(error)
    }
  }

  private static func size(of path: String) -> Int64 {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
  }

  private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  /// The ETag of a file on Parhelion's servers.
  private static func tag(_ stored: AssetValue) -> String { "\"\(stored.fileChecksum)\"" }

  /// Classifies an error response: temporary, or the file does not exist.
  private static func failure(_ answer: TransportResponse) -> RetryPolicy.Failure {
    if let transportError = TransportError(ofFileAnswer: answer.status) {
      return .transport(transportError)
    }
    let passes = [408, 429, 500, 502, 503, 504].contains(answer.status)
    let error = CloudError(
      passes ? .tryAgainLater : .notFound,
      "The download of an asset's file failed with status \(answer.status).",
      retryAfterSeconds: passes ? answer["Retry-After"].flatMap { Int($0) } : nil)
    return .server(error)
  }

  /// Checks that the file has the size in the record; otherwise removes it.
  private func check(_ answer: TransportResponse, _ path: String, _ stored: AssetValue)
    throws(CKError)
  {
    // A body in memory was not written to the file, which may be partial.
    guard answer.body.isEmpty else { throw Self.foreignResponse(Int64(answer.body.count), stored) }
    let size = Self.size(of: path)
    guard size != stored.size else { return }
    Self.remove(path)
    guard answer["ETag"] == Self.tag(stored) else { throw Self.foreignResponse(size, stored) }
    throw CKError(
      .assetNotAvailable,
      "The file of an asset arrived with \(size) bytes instead of \(stored.size).")
  }

  private static func foreignResponse(_ count: Int64, _ stored: AssetValue) -> CKError {
    CKError(
      .networkFailure,
      "The response for an asset's file has \(count) bytes instead of \(stored.size). It may come from a proxy or a captive portal."
    )
  }
}

extension TransportError {
  /// Creates the error of a file transfer that a proxy or captive portal answered; nil if the
  /// server may have answered.
  init?(ofFileAnswer status: Int) {
    guard (300..<400).contains(status) || [407, 511].contains(status) else { return nil }
    self.init(
      .malformed,
      "The response with status \(status) to an asset's transfer came from a proxy or a captive portal that may require a sign-in."
    )
  }
}

extension FieldContent {
  /// The assets in a value: one, or those of a list.
  var assets: [CKAsset] {
    switch self {
    case .asset(let asset): [asset]
    case .list(let members): members.flatMap(\.assets)
    default: []
    }
  }

  mutating func replaceAsset(at place: Int, by asset: CKAsset) {
    switch self {
    case .asset: self = .asset(asset)
    case .list(var members) where members.indices.contains(place):
      members[place] = .asset(asset)
      self = .list(members)
    default: break
    }
  }
}
