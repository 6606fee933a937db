package import CloudRecords
package import RecordServer

/// Uploads in one request: begin, append, finish.
extension AssetStore {
  /// Returns the grant that an upload's address contains.
  ///
  /// - Parameter isContinued: Whether the request is about an upload that has begun; its address is
  ///   valid longer.
  /// - Throws: A `CloudError` if the address is not valid.
  package func uploadGrant(ticket: String, isContinued: Bool = false) throws(CloudError)
    -> UploadGrant
  {
    let isKnown = isContinued && incoming.hasUpload(ticket, at: server.dependencies.now())
    return try tickets.uploadGrant(ticket, evenExpired: isKnown)
  }

  /// Starts an upload.
  ///
  /// - Parameter length: The length of the file, if the client declares it, so that one too large
  ///   is rejected at once.
  package func begin(length: Int64? = nil) async throws -> AssetUpload {
    let worker = workers.take()
    let (folder, number, limit) = (
      folder, options.makeNumber(), server.dependencies.limits.assetBytes
    )
    let reserved = options.reservedBytes
    return try await worker.perform { () throws(AssetStorageError) in
      let file = try PartialFile(in: folder, number: number, limit: limit, reservedBytes: reserved)
      if let length { try file.expect(length) }
      return AssetUpload(file, on: worker)
    }
  }

  /// Finishes an upload: syncs the contents, and creates a receipt for the grant's user.
  ///
  /// - Parameter counted: The name under which the upload counts towards the quota until the file
  ///   does.
  /// - Returns: The asset, as a client puts it into a record.
  package func finish(
    _ upload: AssetUpload, countedAs counted: String? = nil, for grant: UploadGrant
  ) async throws -> AssetValue {
    let (name, size) = try await upload.prepare()
    do {
      try server.countUnreferencedFile(name.checksum, insteadOf: counted, size: size, for: grant)
    } catch {
      let folder = folder
      try await workers.take().perform { () throws(AssetStorageError) in try folder.remove(name) }
      throw error
    }
    // If this fails, it is unknown whether the catalogue references the file. The file stays, and
    // the next start of the server decides.
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
      // Placing the file took so long that the collector removed it.
      throw CloudError(
        .tryAgainLater, "The file was collected before it was used. Upload it again.",
        retryAfterSeconds: 1)
    }
  }

  /// Completes an upload whose contents already exist.
  ///
  /// The new file is only needed if the earlier one was lost.
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
