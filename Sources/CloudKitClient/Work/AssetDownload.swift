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

  func download(of record: CKRecord) async throws(CKError) {
    let wanted = record.state.withLock { $0.plain.contents }
      .flatMap { entry in entry.value.assets.enumerated().map { (entry.key, $0.offset, $0.element) } }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    let sizes = wanted.map { $0.2.stored?.size ?? 0 }
    let total = max(1, sizes.reduce(0, +))
    var before: Int64 = 0
    for ((key, place, asset), size) in zip(wanted, sizes) {
      guard let stored = asset.stored, asset.fileURL == nil else { continue }
      let begun = before
      let file = try await file(of: stored, key) { progress(Double(begun + min($0, size)) / Double(total)) }
      record.state.withLock { $0.plain.contents[key]?.replaceAsset(at: place, by: file) }
      before += size
    }
  }

  private func file(
    of stored: AssetValue, _ key: CKRecord.FieldKey, _ progress: @escaping @Sendable (Int64) -> Void
  ) async throws(CKError) -> CKAsset {
    guard let template = stored.downloadURL else {
      throw CKError(.assetNotAvailable, "The server gave no address for the file of an asset.")
    }
    // Apple's addresses leave the file's name to whoever fetches it.
    let address = template.replacing("${f}", with: key)
    let (file, isBegun) = try work.session.files.file(for: stored)
    do throws(CKError) {
      try await fetch(address, stored, to: file.path, isBegun: isBegun, progress)
      try check(file.path, stored)
    } catch {
      // What has come of a file is good for whoever asks for it next.
      work.session.files.keep(file, partOf: stored)
      throw error
    }
    return CKAsset(file: file, stored: stored)
  }

  private func fetch(
    _ address: String, _ stored: AssetValue, to path: String, isBegun: Bool,
    _ progress: @escaping @Sendable (Int64) -> Void
  ) async throws(CKError) {
    var attempt = 1
    while true {
      let failure: RetryPolicy.Failure
      var request = TransportRequest(.get, work.session.address.absolute(address))
      // Servers of Parhelion's have the checksum for a tag; others give all of the file again.
      if isBegun { request.headers.append(("If-Range", "\"\(stored.fileChecksum)\"")) }
      try work.options.limit(&request, at: work.session.surroundings.now())
      do throws(TransportFault) {
        let answer = try await work.session.transport.download(request, to: path) { done, _ in progress(done) }
        guard !answer.isSuccess else { break }
        failure = .server(Self.error(answer))
      } catch {
        failure = .transport(error)
      }
      do throws(CKError) {
        try await work.session.pause(after: failure, attempt: attempt, work.options)
      } catch {
        throw error.code == .unknownItem ? CKError(.assetNotAvailable, userInfo: error.userInfo) : error
      }
      attempt += 1
    }
  }

  /// What a server says that gave no file: that it cannot do so now, or that there is none.
  private static func error(_ answer: TransportResponse) -> CloudError {
    let passes = [408, 429, 500, 502, 503, 504].contains(answer.status)
    return CloudError(
      passes ? .tryAgainLater : .notFound, "The file of an asset was answered with status \(answer.status).",
      retryAfterSeconds: passes ? answer["Retry-After"].flatMap { Int($0) } : nil)
  }

  /// A file that is not what the record says is none.
  private func check(_ path: String, _ stored: AssetValue) throws(CKError) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let size = (attributes?[.size] as? NSNumber)?.int64Value
    guard size == stored.size else {
      throw CKError(.assetNotAvailable, "The file of an asset came with \(size ?? 0) bytes instead of \(stored.size).")
    }
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
