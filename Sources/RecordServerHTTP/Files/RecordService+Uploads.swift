import AssetStorage
import CloudRecords
import CloudWire
import HTTPServer
import RecordServer

extension RecordService {
  /// Receives a file, as the request's body or as the single part of a form, and answers with its
  /// receipt.
  ///
  /// The address authorizes the upload: clients send no credentials with a file.
  func answerUpload(_ request: HTTPRequest) async throws -> Answer {
    let store = try assetStore
    let ticket = try ticket(of: request)
    let grant = try store.uploadGrant(ticket: ticket, isContinued: Self.isContinued(request))
    do {
      let part = try part(of: request)
      if case .question? = part {
        let received = await store.interruptUpload(ticket, for: grant)
        return Answer(
          UploadProgressResponse(received: received, asset: store.endedUpload(ticket)),
          caller: .user(grant.userRecordName))
      }
      let form = try MultipartReader.reader(of: request.headers["content-type"])
      guard form == nil || part == nil else {
        throw CloudError(.badRequest, "A form cannot be sent in parts. Send the file as the body.")
      }
      let asset =
        if form != nil || request.headers[Self.ownClientField] == nil {
          try await receive(request, form, into: store, for: grant)
        } else {
          try await receive(request, part, ticket, into: store, for: grant)
        }
      return Answer(AssetReceiptResponse(asset: asset), caller: .user(grant.userRecordName))
    } catch let error as MultipartError {
      throw CloudError(.badRequest, error.rawValue)
    } catch let error as AssetStorageError {
      return try errorAnswer(error, of: request)
    }
  }

  /// Whether a request continues an earlier upload.
  private static func isContinued(_ request: HTTPRequest) -> Bool {
    switch request.headers["content-range"].flatMap(UploadPart.init) {
    case .question: true
    case .rest(let start, _): start > 0
    case nil: false
    }
  }

  /// The part of a file that a request contains or asks about, or nil for a whole file.
  ///
  /// A range that cannot be parsed is rejected before the body is read. Otherwise a part could be
  /// stored as the whole file.
  private func part(of request: HTTPRequest) throws -> UploadPart? {
    guard let field = request.headers["content-range"] else { return nil }
    guard request.headers.values(of: "content-range").count == 1 else {
      throw CloudError(
        .badRequest, "There is more than one Content-Range. Send the one that describes the body.")
    }
    guard let part = UploadPart(field) else {
      throw CloudError(
        .badRequest,
        "The Content-Range “\(field.prefix(100))” is neither “bytes FIRST-LAST/SIZE”, where LAST is SIZE - 1, nor “bytes */SIZE”."
      )
    }
    guard request.headers[Self.ownClientField] != nil else {
      throw CloudError(
        .badRequest,
        "Only a client that sends X-Parhelion-Client may send a file in parts. Send all of it, without Content-Range."
      )
    }
    guard part.total <= server.dependencies.limits.assetBytes else {
      throw AssetStorageError(.tooLarge, "the file has \(part.total) bytes, which is too many")
    }
    if let length = request.body.length, length != part.length {
      throw CloudError(
        .badRequest,
        "The body has \(length) bytes, but its Content-Range “\(field)” means \(part.length).")
    }
    return part
  }

  /// Receives a file whose client cannot resume the upload.
  ///
  /// The partial file is accounted under the identifier of its request.
  private func receive(
    _ request: HTTPRequest, _ form: MultipartReader?, into store: AssetStore, for grant: UploadGrant
  ) async throws -> AssetValue {
    var (form, received) = (form, Int64(0))
    let (name, length) = (
      "request \(request.id)", form == nil ? request.body.length.map(Int64.init) : nil
    )
    try server.takeUpload(name, size: length ?? 0, for: grant)
    defer { server.releaseUpload(name, for: grant) }
    let upload = try await store.begin(length: length)
    do {
      for try await piece in request.body {
        let contents = try form?.read(piece) ?? piece
        guard !contents.isEmpty else { continue }
        received += Int64(contents.count)
        if length == nil { try server.takeUpload(name, size: received, for: grant) }
        try await upload.append(contents)
      }
      try form?.finish()
      return try await store.finish(upload, countedAs: name, for: grant)
    } catch {
      await upload.discard()
      throw error
    }
  }

  /// The header field of Parhelion's own clients, which can resume an upload.
  private static let ownClientField: StaticString = "x-parhelion-client"

  /// Receives a file or the rest of one, and keeps the received bytes if the connection breaks.
  private func receive(
    _ request: HTTPRequest, _ part: UploadPart?, _ ticket: String, into store: AssetStore,
    for grant: UploadGrant
  ) async throws -> AssetValue {
    let turn = try await turn(request, part, ticket, store, grant)
    do {
      for try await piece in request.body { try await store.append(piece, turn, for: grant) }
      return try await store.finish(turn, for: grant)
    } catch let error as AssetStorageError where error.code != .incomplete {
      await store.giveUp(turn, for: grant)
      throw error
    } catch {
      await store.leave(turn, for: grant)
      throw error
    }
  }

  private func turn(
    _ request: HTTPRequest, _ part: UploadPart?, _ ticket: String, _ store: AssetStore,
    _ grant: UploadGrant
  ) async throws -> UploadLease {
    guard case .rest(let start, let total)? = part, start > 0 else {
      let length = part?.total ?? request.body.length.map(Int64.init)
      return try await store.begin(resumable: ticket, length: length, for: grant)
    }
    guard let turn = try store.resume(ticket, from: start, of: total, for: grant) else {
      throw CloudError(
        .conflict,
        "The server does not have the first \(start) bytes of a file of \(total). Ask how many it has, or send all."
      )
    }
    return turn
  }

  /// The answer for a file that could not be stored.
  ///
  /// - Throws: Errors that concern only the operator.
  private func errorAnswer(_ error: AssetStorageError, of request: HTTPRequest) throws -> Answer {
    switch error.code {
    case .tooLarge:
      let limit = server.dependencies.limits.assetBytes
      let tooLarge = CloudError(
        .badRequest, "The file has more than the maximum of \(limit) bytes.",
        extension: .limitExceeded)
      return errorAnswer(tooLarge, status: .contentTooLarge, of: request)
    case .full:
      settings.report(error, request.id.description)
      let full = CloudError(
        .tryAgainLater,
        "The server's disk has no room for the file. Its operator must free some.",
        retryAfterSeconds: 300)
      return errorAnswer(full, of: request)
    case .incomplete, .overlong:
      return errorAnswer(CloudError(.badRequest, error.message), of: request)
    case .ended:
      return errorAnswer(
        CloudError(.conflict, "Another request is continuing this upload."), of: request)
    default: throw error
    }
  }
}

// MARK: - Addresses

extension RecordService {
  var assetStore: AssetStore {
    get throws(CloudError) {
      guard let files else {
        throw CloudError(
          .tryAgainLater,
          "This server stores no files, because it was started without a folder for them.")
      }
      return files
    }
  }

  func ticket(of request: HTTPRequest) throws(CloudError) -> String {
    guard let ticket = QueryParameters(request.query).value(of: AssetTickets.parameter) else {
      throw CloudError(
        .accessDenied, "This server did not issue the address. Request a new one.")
    }
    return ticket
  }
}
