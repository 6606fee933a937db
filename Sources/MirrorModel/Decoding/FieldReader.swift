import CloudKitClient
import Foundation

/// Reads the fields of a record, however they were written.
struct FieldReader {
  private let record: CKRecord
  /// Whether devices seal values: of an encrypted attribute, only what a device has sealed counts
  /// then.
  private let expectsSealed: Bool
  /// Nil where the record has none.
  private let encrypted: (any CKRecordKeyValueSetting)?

  init(_ record: CKRecord, expectsSealed: Bool) {
    self.record = record
    self.expectsSealed = expectsSealed
    let encrypted = record.encryptedValues
    self.encrypted = encrypted.allKeys().isEmpty ? nil : encrypted
  }

  /// The names of all fields that have values, in their order.
  package var fields: [String] {
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
    /// An invalid value: the reason and the field.
    case problem(String, field: String)

    /// What another field has, where there is one and this one has nothing.
    package func or(_ alias: String?, _ find: (String) -> Found) -> Found {
      guard case .nothing = self, let alias else { return self }
      return find(alias)
    }
  }

  /// The value of a field, or of the asset that stands for it where the field has nothing.
  ///
  /// A field that the model does not encrypt may be encrypted: devices with another version of the
  /// model write it too.
  ///
  /// - Parameter isEncrypted: Whether the model encrypts the attribute. Then a plain value is a
  ///   problem where devices seal values: the server, or any writer, could have made it
  ///   up.
  package func find(_ field: String, asset: String?, isEncrypted: Bool = false) -> Found {
    let needsSeal = isEncrypted && expectsSealed
    if needsSeal, record.holds(field) { return Self.notSealed(field) }
    let inline = value(field)
    if let inline, !Self.isEmpty(inline) { return .inline(inline) }
    guard let asset, let long = value(asset) else { return inline.map { .inline($0) } ?? .nothing }
    guard let long = long as? CKAsset else {
      return .problem("is no asset, but \(Self.name(of: long))", field: asset)
    }
    guard let url = long.fileURL else { return .unfetched }
    if needsSeal, !long.isSealed { return Self.notSealed(asset) }
    do {
      let length = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      return .file(LentFile(url: url, length: Int64(length), keeper: long))
    } catch {
      return .problem("is an asset whose file cannot be read: \(error)", field: asset)
    }
  }

  private func value(_ field: String) -> (any CKRecordValueProtocol)? {
    let plain: (any CKRecordValueProtocol)? = record[field]
    return plain ?? encrypted?[field]
  }

  private static func notSealed(_ field: String) -> Found {
    .problem("was not sealed by a device, though the model encrypts it", field: field)
  }

  private static func isEmpty(_ value: any CKRecordValueProtocol) -> Bool {
    switch value {
    case let text as String: text.isEmpty
    case let data as Data: data.isEmpty
    default: false
    }
  }

  /// The kind of a value, as the end of a sentence.
  package static func name(of value: any CKRecordValueProtocol) -> String {
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
