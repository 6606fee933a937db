import CloudRecords
import Cryptography
import RecordServer
import Testing

/// A client's values after an upload.
struct UploadedAsset: CustomStringConvertible {
  var checksum: String
  var size: Int64
  var receipt: String

  var text: String { #"{"fileChecksum":"\#(checksum)","size":\#(size),"receipt":"\#(receipt)"}"# }
  var description: String { text }
}

extension Client {
  /// Uploads contents like the file service, and returns the receipt.
  func upload(
    _ contents: String, record: String? = nil, field: String? = nil,
    in scope: DatabaseScope = .private,
    of owner: String? = nil
  ) async throws -> UploadedAsset {
    let checksum = AssetChecksum(of: contents)
    let size = Int64(contents.utf8.count)
    let kept = try await cloud.server.registerAsset(
      checksum, size: size, fileName: cloud.server.dependencies.makeName())
    let receipt = AssetReceipt(
      checksum: checksum, size: size, realm: realm, scope: scope, owner: owner,
      userRecordName: name,
      recordName: record, fieldName: field, expires: kept.expires)
    return UploadedAsset(
      checksum: checksum.text, size: size, receipt: cloud.tickets.receipt(receipt))
  }

  /// Saves a record with a file, and returns a summary of the result.
  func save(
    _ record: String, _ asset: some CustomStringConvertible, field: String = "file",
    in scope: DatabaseScope = .private
  ) async throws -> String {
    let body =
      #""recordName":"\#(record)","recordType":"T","fields":{"\#(field)":{"value":\#(asset)}}"#
    let reply = try await modify(in: scope, ("forceUpdate", body))
    return reply.records.first ?? "\(reply)"
  }

  /// Saves a record with a file, expects a rejection, and returns its reason.
  func refusal(
    _ record: String, _ asset: some CustomStringConvertible, field: String = "file",
    in scope: DatabaseScope = .private
  ) async throws -> String {
    let body =
      #""recordName":"\#(record)","recordType":"T","fields":{"\#(field)":{"value":\#(asset)}}"#
    let item = try await modify(in: scope, ("forceUpdate", body))["records"][0]
    #expect(item["serverErrorCode"].text == "BAD_REQUEST", "\(item)")
    return item["reason"].text ?? ""
  }
}

extension AssetChecksum {
  init(of contents: String) {
    guard let checksum = AssetChecksum(digest: DigestAlgorithm.sha256.hash(contents.utf8)) else {
      preconditionFailure("SHA-256 has 32 bytes.")
    }
    self = checksum
  }
}
