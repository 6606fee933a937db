import CloudRecords
import CloudTransport
import Foundation
import Synchronization

/// Fetches the files of a record's assets.
///
/// They lie in a folder of the session, and go when nobody has an asset of theirs any more.
struct AssetDownload: Sendable {
  let work: DatabaseWork
  /// Is told how much of the record's files has come, from 0 to 1.
  var progress: @Sendable (Double) -> Void = { _ in }

  /// Fetches the files of a record, and opens those that are sealed where that is wanted.
  ///
  /// - Parameter sealed: The record as the server has told it.
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
        guard let path = asset.fileURL?.path, SealedFile.isOne(path) else { continue }
        var opened = CKAsset(fileURL: nil, stored: asset.stored, place: asset.place, isSealed: true)
        do throws(CKError) {
          let file = try work.session.files.makeFile()
          try await work.session.vault.openFile(
            at: path, to: file.path, key: key, of: sealed, work.options)
          opened = CKAsset(file: file, of: asset, isSealed: true)
        } catch {
          failure = failure ?? error
        }
        // Nobody may take a sealed file for its contents, not even with a record that comes without
        // those files that cannot be had.
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
    let sizes = wanted.map { $0.2.stored?.size ?? 0 }
    let total = max(1, sizes.reduce(0, +))
    var before: Int64 = 0
    for ((key, index, asset), size) in zip(wanted, sizes) {
      guard let stored = asset.stored, asset.fileURL == nil else { continue }
      let begun = before
      let place = AssetAddress.Place(recordID: record.recordID, field: key)
      let file = try await file(of: asset, stored, place) {
        progress(Double(begun + min($0, size)) / Double(total))
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
      // What has come of a file is good for whoever asks for it next.
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
      // Servers of Parhelion's have the checksum for a tag; others give all of the file again.
      if isBegun { request.headers.append(("If-Range", Self.tag(stored))) }
      try work.options.limit(&request, at: work.session.dependencies.steady())
      switch await ask(request, stored, to: path, progress) {
      case .success(let answer) where answer.isSuccess: return try check(answer, path, stored)
      case .success(let answer) where answer.isOfExpiredAddress:
        // The part that came stays: another address is for the same contents.
        try await address.renew(work)
        continue
      case .success(let answer): failure = Self.failure(answer)
      case .failure(let fault): failure = .transport(fault)
      }
      address.isNew = false
      breaks.note(size: Self.size(of: path))
      do throws(CKError) {
        try await work.session.pause(after: failure, attempt: breaks.attempt, work.options)
      } catch {
        throw Self.told(error)
      }
    }
  }

  /// A file that the server does not have is no asset any more; one that this machine cannot write
  /// says nothing of the asset.
  private static func told(_ error: CKError) -> CKError {
    switch error.code {
    case .unknownItem: CKError(.assetNotAvailable, userInfo: error.userInfo)
    case .assetFileNotFound: CKError(.internalError, userInfo: error.userInfo)
    default: error
    }
  }

  /// Asks once.
  ///
  /// Of an answer that breaks off the part that came stays where its head promised as many bytes as
  /// the file has: anything else may be somebody's page, which the next attempt must not go on
  /// with.
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
      // What a full disk took of an answer nobody has told of.
      if error.kind == .file || !isOfFile.load(ordering: .relaxed) { Self.remove(path) }
      return .failure(error)
    }
  }

  /// How much of a file is there.
  private static func size(of path: String) -> Int64 {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
  }

  private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  /// What Parhelion's servers call the contents of a file.
  private static func tag(_ stored: AssetValue) -> String { "\"\(stored.fileChecksum)\"" }

  /// What a server says that gave no file: that it cannot do so now, or that there is none.
  private static func failure(_ answer: TransportResponse) -> RetryPolicy.Failure {
    if let fault = TransportError(ofFileAnswer: answer.status) { return .transport(fault) }
    let passes = [408, 429, 500, 502, 503, 504].contains(answer.status)
    let error = CloudError(
      passes ? .tryAgainLater : .notFound,
      "The file of an asset was answered with status \(answer.status).",
      retryAfterSeconds: passes ? answer["Retry-After"].flatMap { Int($0) } : nil)
    return .server(error)
  }

  /// A file that is not what the record says is none, and no part of one.
  private func check(_ answer: TransportResponse, _ path: String, _ stored: AssetValue)
    throws(CKError)
  {
    // What is in memory did not go into the file, which may have a part.
    guard answer.body.isEmpty else { throw Self.isOfSomebodyElse(Int64(answer.body.count), stored) }
    let size = Self.size(of: path)
    guard size != stored.size else { return }
    Self.remove(path)
    guard answer["ETag"] == Self.tag(stored) else { throw Self.isOfSomebodyElse(size, stored) }
    throw CKError(
      .assetNotAvailable, "The file of an asset came with \(size) bytes instead of \(stored.size).")
  }

  private static func isOfSomebodyElse(_ count: Int64, _ stored: AssetValue) -> CKError {
    CKError(
      .networkFailure,
      "What came in the place of an asset's file is not that file: it has \(count) bytes instead of \(stored.size). Something between may have answered in the server's place, such as a page that wants a sign-in to the network."
    )
  }
}

extension TransportError {
  /// Somebody between answered where a file was to go or to come; nil where it may have been the
  /// server.
  init?(ofFileAnswer status: Int) {
    guard (300..<400).contains(status) || [407, 511].contains(status) else { return nil }
    self.init(
      .malformed,
      "Somebody between answered for the file of an asset, with status \(status): perhaps a network or a proxy that wants a sign-in."
    )
  }
}

extension FieldContent {
  /// The assets of a value: one, or those of a list.
  var assets: [CKAsset] {
    switch self {
    case .asset(let asset): [asset]
    case .list(let members): members.flatMap(\.assets)
    default: []
    }
  }

  /// Puts another asset in the place of one.
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
