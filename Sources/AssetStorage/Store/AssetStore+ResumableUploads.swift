package import CloudRecords
package import RecordServer

/// Uploads that can continue in another request.
extension AssetStore {
  /// Starts an upload that may arrive in several requests with one ticket.
  ///
  /// - Parameter length: The length of the file, if the client declares it.
  /// - Throws: `QUOTA_EXCEEDED` if that length exceeds the quota.
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
    let lastEnd = time(after: server.dependencies.limits.assetReceiptSeconds)
    let (lease, former) = incoming.begin(
      upload, named: name, of: length, ticket, for: grant, atMostUntil: lastEnd)
    if let former { await discard(former) }
    return lease
  }

  /// Interrupts the request that sends a file, and returns the number of bytes received.
  ///
  /// This is the whole length if the upload has finished. If its file is being synced, the call
  /// waits.
  package func interruptUpload(_ ticket: String, for grant: UploadGrant) async -> Int64 {
    await incoming.waitForEnd(ticket)
    guard let (received, lease) = incoming.interrupt(ticket) else {
      return endedUpload(ticket)?.size ?? 0
    }
    return await leave(lease, for: grant) ? received : 0
  }

  /// Returns the asset of a finished upload, for a client that missed the response.
  package func endedUpload(_ ticket: String) -> AssetValue? {
    incoming.finished(ticket, at: server.dependencies.now())
  }

  /// Returns the time until which an interrupted upload waits, and a finished upload is remembered.
  ///
  /// This is the expiry of the upload's address, or of an address that is granted now if that is
  /// later.
  private func waitingEnd(of grant: UploadGrant) -> Timestamp {
    max(grant.expires, time(after: server.dependencies.limits.assetAddressSeconds))
  }

  private func time(after seconds: Int) -> Timestamp {
    Timestamp(milliseconds: server.dependencies.now().milliseconds + Int64(seconds) * 1_000)
  }

  /// Resumes an upload; nil if the part does not start at the first missing byte.
  package func resume(
    _ ticket: String, from start: Int64, of total: Int64, for grant: UploadGrant
  ) throws(CloudError) -> UploadLease? {
    try incoming.resume(ticket, from: start, of: total, counting: counting(for: grant))
  }

  /// Counts uploads towards a user's quota at the current time.
  private func counting(for grant: UploadGrant) -> IncomingUploads.Counting {
    let (server, now) = (server, server.dependencies.now())
    return { (name, size) throws(CloudError) in
      try server.takeUpload(name, size: size, for: grant, at: now)
    }
  }

  /// Discards interrupted uploads that have expired or exceed the limits.
  package func endSurplusUploads() async {
    for ended in incoming.endSurplus(at: server.dependencies.now()) { await discard(ended) }
  }

  /// Buffers the next bytes, and waits for the disk when the buffer is full.
  ///
  /// - Throws: `QUOTA_EXCEEDED` if the file's length is unknown and the received bytes exceed the
  ///   quota.
  package func append(_ bytes: [UInt8], _ lease: UploadLease, for grant: UploadGrant) async throws {
    let full = try incoming.gather(bytes, lease, counting: counting(for: grant))
    try await full?.flush()
  }

  /// Keeps the received bytes for a while after the connection broke, if they fit the user's quota.
  ///
  /// - Returns: Whether the upload is kept, and no other request has resumed it.
  @discardableResult
  package func leave(_ lease: UploadLease, for grant: UploadGrant) async -> Bool {
    do {
      guard try incoming.leave(lease, until: waitingEnd(of: grant), counting: counting(for: grant))
      else { return false }
    } catch {
      await giveUp(lease, for: grant)
      return false
    }
    await endSurplusUploads()
    return incoming.has(lease)
  }

  /// Discards an upload, unless another request has resumed it.
  package func giveUp(_ lease: UploadLease, for grant: UploadGrant) async {
    guard let upload = try? incoming.take(lease) else { return }
    await discard(IncomingUploads.Ended(name: lease.name, upload: upload, grant: grant))
  }

  /// Removes the bytes of an upload, which count towards the quota until then.
  private func discard(_ ended: IncomingUploads.Ended) async {
    await ended.upload.discard()
    server.releaseUpload(ended.name, for: ended.grant)
  }

  /// Finishes an upload.
  ///
  /// - Throws: `incomplete` if a part is missing. The upload stays, so that the client can send the
  ///   rest.
  package func finish(_ lease: UploadLease, for grant: UploadGrant) async throws -> AssetValue {
    try incoming.checkIsWhole(lease)
    let upload = try incoming.beginEnd(lease)
    do {
      let asset = try await finish(upload, countedAs: lease.name, for: grant)
      incoming.end(lease, as: asset, until: waitingEnd(of: grant))
      return asset
    } catch {
      await discard(IncomingUploads.Ended(name: lease.name, upload: upload, grant: grant))
      incoming.end(lease, as: nil, until: waitingEnd(of: grant))
      throw error
    }
  }
}
