import CloudKitClient
import Foundation

/// Reads the fields of a record, however they were written.
struct FieldReader {
  private let record: CKRecord
  /// Nil where the record has none.
  private let encrypted: (any CKRecordKeyValueSetting)?

  init(_ record: CKRecord) {
    self.record = record
    let encrypted = record.encryptedValues
    self.encrypted = encrypted.allKeys().isEmpty ? nil : encrypted
  }

  /// The names of all fields that have values, in their order.
  var fields: [String] {
    guard let encrypted else { return record.allKeys() }
    return Set(record.allKeys()).union(encrypted.allKeys()).sorted()
  }

  /// What a field has of a value.
  enum Found {
    case nothing
    case inline(any CKRecordValueProtocol)
    case file(LentFile)
    /// An asset without its bytes.
    case unfetched
    case problem(String)

    /// What another field has, where there is one and this one has nothing.
    func or(_ alias: String?, _ find: (String) -> Found) -> Found {
      guard case .nothing = self, let alias else { return self }
      return find(alias)
    }
  }

  /// The value of a field, or of the asset that stands for it where the field has nothing.
  ///
  /// Fields may be encrypted or not, whatever the model says: devices with another version of it write them too.
  func find(_ field: String, asset: String?) -> Found {
    let inline = value(field)
    if let inline, !Self.isEmpty(inline) { return .inline(inline) }
    guard let asset, let long = value(asset) else { return inline.map { .inline($0) } ?? .nothing }
    guard let long = long as? CKAsset else { return .problem("is no asset, but \(Self.name(of: long))") }
    guard let url = long.fileURL else { return .unfetched }
    do {
      let length = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      return .file(LentFile(url: url, length: Int64(length), keeper: long))
    } catch {
      return .problem("is an asset whose file cannot be read: \(error)")
    }
  }

  private func value(_ field: String) -> (any CKRecordValueProtocol)? {
    let plain: (any CKRecordValueProtocol)? = record[field]
    return plain ?? encrypted?[field]
  }

  private static func isEmpty(_ value: any CKRecordValueProtocol) -> Bool {
    switch value {
    case let text as String: text.isEmpty
    case let data as Data: data.isEmpty
    default: false
    }
  }

  /// The kind of a value, as the end of a sentence.
  static func name(of value: any CKRecordValueProtocol) -> String {
    switch value {
    case is String: "a text"
    case is NSNumber: "a number"
    case is Date: "a date"
    case is Data: "data"
    case is CKRecord.Reference: "a reference"
    case is CKAsset: "an asset"
    case is any Collection: "a list"
    default: "a location"
    }
  }
}
