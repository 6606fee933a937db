import CloudKitClient
import Foundation

/// Reads the fields of a record in all their forms.
struct FieldReader {
  private let record: CKRecord
  /// Whether devices seal values; if so, encrypted attributes count only if a device sealed them.
  private let expectsSealed: Bool
  /// The encrypted values; nil if the record has none.
  private let encrypted: (any CKRecordKeyValueSetting)?

  init(_ record: CKRecord, expectsSealed: Bool) {
    self.record = record
    self.expectsSealed = expectsSealed
    let encrypted = record.encryptedValues
    self.encrypted = encrypted.allKeys().isEmpty ? nil : encrypted
  }

  /// The result of looking up a field.
  enum Found {
    case nothing
    case inline(any CKRecordValueProtocol)
    case file(BorrowedFile)
    /// An asset without its bytes.
    case unfetched
    /// An invalid value: the reason and the field.
    case issue(String, field: String)

    /// Returns this result, or that of an alias if this one is empty.
    package func or(_ alias: String?, _ find: (String) -> Found) -> Found {
      guard case .nothing = self, let alias else { return self }
      return find(alias)
    }
  }

  /// Finds the value of a field; if the field is empty, that of its asset field.
  ///
  /// Another version of the model may encrypt a field that this model does not encrypt.
  ///
  /// - Parameter isEncrypted: Whether the model encrypts the attribute. A plain value is then
  ///   invalid if devices seal values: the server or any writer could have forged it.
  package func find(_ field: String, asset: String?, isEncrypted: Bool = false) -> Found {
    let needsSeal = isEncrypted && expectsSealed
    if needsSeal, record.holds(field) { return Self.notSealed(field) }
    let inline = value(field)
    if let inline, !Self.isEmpty(inline) { return .inline(inline) }
    guard let asset, let long = value(asset) else { return inline.map { .inline($0) } ?? .nothing }
    guard let long = long as? CKAsset else {
      return .issue("is not an asset but \(Self.name(of: long))", field: asset)
    }
    guard let url = long.fileURL else { return .unfetched }
    if needsSeal, !long.isSealed { return Self.notSealed(asset) }
    do {
      let length = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      return .file(BorrowedFile(url: url, length: Int64(length), owner: long))
    } catch {
      return .issue("is an asset whose file cannot be read: \(error)", field: asset)
    }
  }

  private func value(_ field: String) -> (any CKRecordValueProtocol)? {
    let plain: (any CKRecordValueProtocol)? = record[field]
    return plain ?? encrypted?[field]
  }

  private static func notSealed(_ field: String) -> Found {
    .issue("was not sealed by a device, though the model encrypts it", field: field)
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
