import CloudRecords
import CloudTransport
import CloudWire
import Foundation

/// Uploads the files of a record's assets before the record is saved.
struct AssetUpload: Sendable {
  let work: DatabaseWork
  let coding: RecordCoding

  /// A file to upload, and its position in the record.
  private struct Wanted {
    var key: String
    var place: Int
    var asset: CKAsset
    var path: String
    var version: FileVersion
  }

  /// Uploads a record's files, and puts the server's descriptions into the record.
  func upload(for save: inout RecordSave, _ progress: @escaping @Sendable (Double) -> Void)
    async throws(CKError)
  {
    let wanted = try files(of: save)
    guard !wanted.isEmpty else { return }
    let addresses = try await addresses(of: wanted, save.sent)
    let total = max(1, wanted.map(\.version.size).reduce(0, +))
    var before: Int64 = 0
    for (file, address) in zip(wanted, addresses) {
      let begun = before
      let stored = try await send(file, of: save.sent, to: address) {
        progress(Double(begun + $0) / Double(total))
      }
      let asset = CKAsset(file.asset, stored: stored)
      var content = save.uploaded[file.key] ?? save.sent.plain.contents[file.key]
      content?.replaceAsset(at: file.place, by: asset)
      save.uploaded[file.key] = content
      before += file.version.size
    }
  }

  /// Checks that all files of a record exist.
  func check(_ save: RecordSave) throws(CKError) { _ = try files(of: save) }

  private func files(of save: RecordSave) throws(CKError) -> [Wanted] {
    var wanted: [Wanted] = []
    for (key, place, asset) in save.assetsToSend {
      let own = asset.fileURL?.path
      if let path = own.map({ save.sealedFiles[$0]?.path ?? $0 }), let version = FileVersion(path) {
        wanted.append(Wanted(key: key, place: place, asset: asset, path: path, version: version))
      } else if asset.stored == nil || asset.origin?.record != coding.identifier(save.sent.recordID)
      {
        let field = "\(save.sent.recordType).\(key)"
        throw CKError(
          .assetFileNotFound,
          own.map {
            "The file \($0) of \(field) cannot be read, and the server does not have it any more."
          } ?? "The asset in \(field) has no local file, and the server no longer has it."
        )
      }
      // Otherwise the server decides whether its record still contains the file.
    }
    return wanted
  }

  private func addresses(of wanted: [Wanted], _ sent: RecordState) async throws(CKError) -> [String]
  {
    var addresses: [String] = []
    try await work.inBatches(wanted) { batch throws(CKError) in
      let fields = batch.map {
        AssetField(
          recordName: coding.recordName(sent.recordID), recordType: sent.recordType,
          fieldName: $0.key)
      }
      let zone = coding.reference(sent.recordID.zoneID)
      let tokens = try await work.call(AssetsUploadRequest(zone: zone, fields: fields)).tokens
      try work.check(tokens.count, of: batch.count)
      addresses += tokens.map(\.url)
    }
    return addresses
  }

  private func send(
    _ file: Wanted, of sent: RecordState, to address: String,
    _ progress: @escaping @Sendable (Int64) -> Void
  ) async throws(CKError) -> AssetValue {
    let stored = try await post(file, of: sent, to: address, progress)
    try checkIsSame(file)
    return stored
  }

  private func checkIsSame(_ file: Wanted) throws(CKError) {
    guard FileVersion(file.path) != file.version else { return }
    throw CKError(
      .assetFileModified,
      "The file \(file.path) was changed while it was uploaded. Save the record again.")
  }

  private func post(
    _ file: Wanted, of sent: RecordState, to address: String,
    _ progress: @escaping @Sendable (Int64) -> Void
  ) async throws(CKError) -> AssetValue {
    var place = Place(address: work.session.address.absolute(address))
    var breaks = TransferInterruptions()
    let arrived: TransportResponse
    while true {
      let failure: RetryPolicy.Failure
      var isRefused = false
      let request = try request(for: file, to: place.address, from: place.start, progress)
      do throws(TransportError) {
        let answer = try await work.session.transport.send(request)
        if let transportError = TransportError(ofFileAnswer: answer.status) { throw transportError }
        guard let error = work.session.error(of: answer) else {
          arrived = answer
          break
        }
        isRefused = answer.isOfExpiredAddress
        // A conflict means that the server has another part of the file, or that an earlier request
        // is still running. A retry starts the upload again.
        failure = .server(
          error.code == .conflict ? CloudError(.tryAgainLater, error.reason) : error)
      } catch {
        failure = .transport(error)
      }
      // The request may have failed because the file has become shorter than the announced length.
      try checkIsSame(file)
      if isRefused, !place.isNew {
        place = try await newPlace(for: file, of: sent)
        continue
      }
      // Retry even if the request may have arrived: uploading a file twice is harmless.
      breaks.note(size: place.start)
      try await work.session.pause(after: failure, attempt: breaks.attempt, work.options)
      switch try await standing(of: file, at: place.address, failure) {
      case .whole(let asset):
        progress(file.version.size)
        return asset
      case .part(let start): (place.start, place.isNew) = (start, false)
      case .none: place = try await newPlace(for: file, of: sent)
      }
    }
    return try receipt(arrived)
  }

  /// The URL of an upload, and how much of the file has arrived.
  private struct Place {
    var address: String
    var start: Int64 = 0
    /// Whether the URL was renewed and has not been used since, so that a rejection does not mean
    /// expiry.
    var isNew = false
  }

  /// Requests a new upload URL after the current one has expired.
  private func newPlace(for file: Wanted, of sent: RecordState) async throws(CKError) -> Place {
    let address = try await addresses(of: [file], sent)[0]
    return Place(address: work.session.address.absolute(address), isNew: true)
  }

  private func request(
    for file: Wanted, to address: String, from start: Int64,
    _ progress: @escaping @Sendable (Int64) -> Void
  ) throws(CKError) -> TransportRequest {
    var request = TransportRequest(.post, address, body: .file(path: file.path, from: start))
    request.headers = [("Content-Type", "application/octet-stream")]
    if address.contains(UploadProgressResponse.mark) {
      request.headers.append(("X-Parhelion-Client", "1"))
    }
    let size = file.version.size
    if start > 0 { request.headers.append(("Content-Range", "bytes \(start)-\(size - 1)/\(size)")) }
    request.progress = { done, _ in progress(start + done) }
    try work.options.limit(&request, at: work.session.dependencies.monotonicNow())
    return request
  }

  /// The part of a file that the server has after an interruption.
  private enum Standing {
    /// A number of bytes, from which the upload resumes.
    case part(Int64)
    /// The whole file: only the response was lost.
    case whole(AssetValue)
  }

  /// Requests how much of a file the server has: zero if it cannot tell, nil if the URL has
  /// expired.
  private func standing(
    of file: Wanted, at address: String, _ failure: RetryPolicy.Failure
  ) async throws(CKError) -> Standing? {
    guard case .transport = failure, address.contains(UploadProgressResponse.mark) else {
      return .part(0)
    }
    var request = TransportRequest(.post, address, body: .bytes([]))
    request.headers = [
      ("X-Parhelion-Client", "1"), ("Content-Range", "bytes */\(file.version.size)"),
    ]
    try work.options.limit(&request, at: work.session.dependencies.monotonicNow())
    do throws(TransportError) {
      let answer = try await work.session.transport.send(request)
      if answer.isOfExpiredAddress { return nil }
      guard answer.isSuccess, let reported = try? UploadProgressResponse(answer: answer.body) else {
        return .part(0)
      }
      if let asset = reported.asset, asset.size == file.version.size { return .whole(asset) }
      return .part((0..<file.version.size).contains(reported.received) ? reported.received : 0)
    } catch {
      return .part(0)
    }
  }

  private func receipt(_ answer: TransportResponse) throws(CKError) -> AssetValue {
    let reported: AssetReceiptResponse = try work.session.read(answer)
    return reported.asset
  }
}
