package import CloudRecords
package import CloudWire
import RecordStorage

extension RecordServer {
  /// `assets/rereference`: returns receipts for files in records, so that other records can hold
  /// them too.
  ///
  /// A list field returns each of its files.
  package func rereferenceAssets(
    _ request: AssetsRereferenceRequest, _ call: Call
  ) async throws(CloudError) -> AssetsRereferenceResponse {
    try limits.check(request.fields.count, "fields")
    guard let user = call.caller.userRecordName else {
      throw CloudError(.authenticationRequired, "A receipt needs a signed-in user.")
    }
    let zone = (request.zone ?? ZoneReference()).identifier(caller: call.callerName)
    let server = self
    let expires = dependencies.now().adding(seconds: Int64(limits.assetReceiptSeconds))
    return try await write(nil) { transaction in
      let reader = try ZoneReader(zone, call, server, transaction)
      // A list may have thousands of files, and may be requested repeatedly.
      var measure = ResponseSize(server.limits)
      return AssetsRereferenceResponse(
        assets: try request.fields.flatMap { field in
          let items = try server.rereference(
            field, reader, call, user, expires: expires, in: transaction)
          try measure.add(AssetsRereferenceResponse(assets: items).bytes.count)
          return items
        })
    }
  }

  private func rereference(
    _ field: AssetField, _ reader: ZoneReader, _ call: Call, _ user: String, expires: Timestamp,
    in transaction: any StorageWriting
  ) throws -> [AssetsRereferenceResponse.Item] {
    do {
      return try held(by: field, reader, transaction).map { asset in
        .asset(try receipted(asset, call, user, expires: expires, in: transaction))
      }
    } catch let error as CloudError {
      return [.failed(recordName: field.recordName ?? "", error)]
    }
  }

  private func held(
    by field: AssetField, _ reader: ZoneReader, _ transaction: any StorageReading
  ) throws -> [AssetValue] {
    guard let name = field.recordName else {
      throw CloudError(
        .badRequest, "A file that is referenced again needs the name of the record that holds it.")
    }
    // The draft is only read.
    let draft = ZoneDraft(
      zone: reader.access.zone, keys: reader.access.keys, transaction: transaction)
    guard let record = try draft.record(name), reader.shows(record) else {
      throw CloudError(
        .notFound,
        "There is no record “\(name)” in the zone “\(reader.access.identifier.zoneName)”.")
    }
    guard let assets = record.fields[field.fieldName]?.value.assets, !assets.isEmpty else {
      throw CloudError(.notFound, "The field \(field.fieldName) of “\(name)” holds no file.")
    }
    return assets
  }

  private func receipted(
    _ asset: AssetValue, _ call: Call, _ user: String, expires: Timestamp,
    in transaction: any StorageWriting
  ) throws -> AssetValue {
    guard let checksum = AssetChecksum(text: asset.fileChecksum),
      try AssetCatalogue.renew(checksum, until: expires, in: transaction)
    else {
      throw CloudError(.notFound, "The server no longer has the contents of the file.")
    }
    var asset = asset
    asset.receipt = receipts.receipt(
      AssetReceipt(
        checksum: checksum, size: asset.size, realm: call.realm, userRecordName: user,
        expires: expires))
    asset.downloadURL = addresses.download(of: asset).map { call.serverAddress + $0 }
    return asset
  }
}
