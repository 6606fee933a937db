package import CloudRecords
package import RecordServer

/// The way of a file that comes in: begin, pieces, finish.
extension AssetStore {
  /// What an upload's address allows.
  ///
  /// - Parameter isContinued: Whether it is about an upload that began before: for that the address
  ///   is good longer.
  /// - Throws: A `CloudError` where the address is not good.
  package func uploadGrant(ticket: String, isContinued: Bool = false) throws(CloudError)
    -> UploadGrant
  {
    let isKnown = isContinued && incoming.knows(ticket, at: server.environment.now())
    return try tickets.uploadGrant(ticket, evenExpired: isKnown)
  }

  /// Begins to take a file in.
  ///
  /// - Parameter length: How long it will be, where the client says so: what cannot be taken is
  ///   refused at once.
  package func begin(length: Int64? = nil) async throws -> AssetUpload {
    let worker = workers.take()
    let (folder, number, limit) = (
      folder, options.makeNumber(), server.environment.limits.assetBytes
    )
    let reserved = options.reservedBytes
    return try await worker.perform { () throws(AssetStorageError) in
      let file = try PartialFile(in: folder, number: number, limit: limit, reservedBytes: reserved)
      if let length { try file.expect(length) }
      return AssetUpload(file, on: worker)
    }
  }

  /// Ends an upload: the contents are safe, and whoever was granted it has a receipt for them.
  ///
  /// - Parameter counted: What counts towards the sender's quota until the file does.
  /// - Returns: The asset as a client puts it into a record.
  package func finish(
    _ upload: AssetUpload, countedAs counted: String? = nil, for grant: UploadGrant
  ) async throws -> AssetValue {
    let (name, size) = try await upload.prepare()
    do {
      try server.takeUnheldFile(name.checksum, insteadOf: counted, size: size, for: grant)
    } catch {
      let folder = folder
      try await workers.take().perform { () throws(AssetStorageError) in try folder.remove(name) }
      throw error
    }
    // If this fails, nobody knows whether the catalogue names the file: it stays, and the next
    // start sorts it.
    let kept = try await server.registerAsset(name.checksum, size: size, fileName: name.text)
    if kept.fileName == name.text {
      try await place(name)
    } else {
      try await join(name, size: size, to: kept.fileName)
    }
    return asset(name.checksum, size: size, expires: kept.expires, for: grant)
  }

  private func place(_ name: AssetFileName) async throws {
    let folder = folder
    do {
      try await workers.take().perform { () throws(AssetStorageError) in try folder.place(name) }
    } catch  where error.code == .missing {
      guard try await server.assetEntry(of: name.checksum)?.fileName != name.text else {
        throw error
      }
      // So much time passed since the catalogue took it that it was collected.
      throw CloudError(
        .tryAgainLater, "The file is needed no more, it seems. Upload it again.",
        retryAfterSeconds: 1)
    }
  }

  /// The same contents are there already: the file is not needed, unless the earlier one was lost.
  private func join(_ name: AssetFileName, size: Int64, to earlier: String) async throws {
    let folder = folder
    let isThere = await workers.take().perform {
      AssetFileName(earlier).flatMap { folder.size(of: $0) } == size
    }
    if !isThere, try await server.replaceAssetFile(earlier, by: name.text, of: name.checksum) {
      return try await place(name)
    }
    try await workers.take().perform { () throws(AssetStorageError) in try folder.remove(name) }
  }

  private func asset(
    _ checksum: AssetChecksum, size: Int64, expires: Timestamp, for grant: UploadGrant
  ) -> AssetValue {
    let receipt = AssetReceipt(
      checksum: checksum, size: size, realm: grant.realm, scope: grant.scope, owner: grant.owner,
      userRecordName: grant.userRecordName, recordName: grant.recordName,
      fieldName: grant.fieldName, expires: expires)
    var asset = AssetValue(
      fileChecksum: checksum.text, size: size, receipt: tickets.receipt(receipt))
    if grant.scope != .public {
      (asset.referenceChecksum, asset.wrappingKey) = tickets.marks(of: checksum, in: grant.realm)
    }
    return asset
  }
}
