package import CloudRecords
package import RecordServer

/// What requests do with uploads that can go on in others.
extension AssetStore {
  /// Begins to take a file in that may come in several requests with one ticket.
  ///
  /// - Parameter length: How long it will be, where the client says so.
  /// - Throws: `QUOTA_EXCEEDED` where there is no room for so much.
  package func begin(resumable ticket: String, length: Int64?, for grant: UploadGrant) async throws
    -> UploadLease
  {
    await endSurplusUploads()
    let (name, place) = incoming.names(for: ticket)
    try server.takeUpload(name, insteadOf: place, size: length ?? 0, for: grant)
    let upload: AssetUpload
    do { upload = try await begin(length: length) } catch {
      server.releaseUpload(name, for: grant)
      throw error
    }
    let lastEnd = time(behind: server.environment.limits.assetReceiptSeconds)
    let (turn, former) = incoming.begin(
      upload, named: name, of: length, ticket, for: grant, atMostUntil: lastEnd)
    if let former { await discard(former) }
    return turn
  }

  /// How much of a file has come, all of it where the upload has ended; a request that still brings
  /// it is left.
  ///
  /// Of a file that is brought to the disk just now it is told when it is there.
  package func interruptUpload(_ ticket: String, for grant: UploadGrant) async -> Int64 {
    await incoming.waitForEnd(ticket)
    guard let (received, turn) = incoming.interrupt(ticket) else {
      return endedUpload(ticket)?.size ?? 0
    }
    return await leave(turn, for: grant) ? received : 0
  }

  /// What was told of an upload that has ended: whoever did not hear it need not send the file
  /// again.
  package func endedUpload(_ ticket: String) -> AssetValue? {
    incoming.finished(ticket, at: server.environment.now())
  }

  /// For how long an upload waits for its rest, and is remembered when it has ended: as long as an
  /// address that were given now, and its own.
  private func waitingEnd(of grant: UploadGrant) -> Timestamp {
    max(grant.expires, time(behind: server.environment.limits.assetAddressSeconds))
  }

  private func time(behind seconds: Int) -> Timestamp {
    Timestamp(milliseconds: server.environment.now().milliseconds + Int64(seconds) * 1_000)
  }

  /// Goes on with a file; nil where that is not the part that is missing.
  package func resume(
    _ ticket: String, from start: Int64, of total: Int64, for grant: UploadGrant
  ) throws(CloudError) -> UploadLease? {
    try incoming.resume(ticket, from: start, of: total, counting: counting(for: grant))
  }

  /// Counts uploads of a sender, as of now.
  private func counting(for grant: UploadGrant) -> IncomingUploads.Counting {
    let (server, now) = (server, server.environment.now())
    return { (name, size) throws(CloudError) in
      try server.takeUpload(name, size: size, for: grant, at: now)
    }
  }

  /// Gives up the uploads that wait for a client that cannot go on with them any more, and those
  /// that are too many.
  package func endSurplusUploads() async {
    for ended in incoming.endSurplus(at: server.environment.now()) { await discard(ended) }
  }

  /// Takes the next bytes, and waits for the disk where some have gathered.
  ///
  /// - Throws: `QUOTA_EXCEEDED` where the file's length is not known, and there is no room for what
  ///   has come.
  package func append(_ bytes: [UInt8], _ turn: UploadLease, for grant: UploadGrant) async throws {
    let full = try incoming.gather(bytes, turn, counting: counting(for: grant))
    try await full?.flush()
  }

  /// Keeps what has come for a while, since the connection broke; not what the sender's quota has
  /// no room for.
  ///
  /// - Returns: Whether it is kept, and nobody else goes on with it.
  @discardableResult
  package func leave(_ turn: UploadLease, for grant: UploadGrant) async -> Bool {
    do {
      guard try incoming.leave(turn, until: waitingEnd(of: grant), counting: counting(for: grant))
      else { return false }
    } catch {
      await giveUp(turn, for: grant)
      return false
    }
    await endSurplusUploads()
    return incoming.has(turn)
  }

  /// Gives an upload up, unless another request goes on with it.
  package func giveUp(_ turn: UploadLease, for grant: UploadGrant) async {
    guard let upload = try? incoming.take(turn) else { return }
    await discard(IncomingUploads.Ended(name: turn.name, upload: upload, grant: grant))
  }

  /// Removes what came of an upload, which counts until then.
  private func discard(_ ended: IncomingUploads.Ended) async {
    await ended.upload.discard()
    server.releaseUpload(ended.name, for: ended.grant)
  }

  /// Ends an upload.
  ///
  /// - Throws: `incomplete` where a part is missing: the upload is still there, for the rest.
  package func finish(_ turn: UploadLease, for grant: UploadGrant) async throws -> AssetValue {
    try incoming.checkIsWhole(turn)
    let upload = try incoming.beginEnd(turn)
    do {
      let asset = try await finish(upload, countedAs: turn.name, for: grant)
      incoming.end(turn, as: asset, until: waitingEnd(of: grant))
      return asset
    } catch {
      await discard(IncomingUploads.Ended(name: turn.name, upload: upload, grant: grant))
      incoming.end(turn, as: nil, until: waitingEnd(of: grant))
      throw error
    }
  }
}
