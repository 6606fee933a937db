import CloudKitClient
import Foundation

/// A record as text, with one field on each line; equal records have equal texts.
///
/// ```
/// CD_Note 5E1C…
///   CD_entityName    STRING "Note"
///   CD_secret        ENCRYPTED STRING "…"
///   CD_text          STRING 512000 bytes "Once upon a time"…
///   CD_text_ckAsset  -
/// ```
///
/// A dash marks a field that was removed and will be cleared in the cloud.
enum RecordText {
  /// The longest value that is shown in full, in bytes.
  private static let shownBytes = 64

  /// The text of a record.
  static func text(of record: CKRecord) -> String {
    let plain = lines(of: record, "")
    let encrypted = lines(of: record.encryptedValues, "ENCRYPTED ")
    let lines = (plain + encrypted).sorted { $0.field < $1.field }
    let width = lines.map(\.field.utf8.count).max() ?? 0
    return
      (["\(record.recordType) \(record.recordID.recordName)"]
      + lines.map { line in
        "  " + line.field + String(repeating: " ", count: width - line.field.utf8.count) + "  "
          + line.value
      })
      .joined(separator: "\n") + "\n"
  }

  private static func lines(
    of values: any CKRecordKeyValueSetting, _ mark: String
  ) -> [(field: String, value: String)] {
    Set(values.allKeys() + values.changedKeys()).map { field in
      guard let value = values[field] as (any CKRecordValueProtocol)? else {
        return (field, mark + "-")
      }
      return (field, mark + text(of: value))
    }
  }

  private static func text(of value: any CKRecordValueProtocol) -> String {
    switch value {
    case let text as String: "STRING " + short(text)
    case let data as Data: "BYTES " + short(data)
    case let date as Date: "TIMESTAMP \(Int64((date.timeIntervalSince1970 * 1_000).rounded()))"
    case let number as NSNumber: text(of: number)
    case let asset as CKAsset: "ASSET " + text(of: asset)
    case let reference as CKRecord.Reference: "REFERENCE \(reference.recordID.recordName)"
    case let list as [any CKRecordValueProtocol]:
      "LIST [\(list.map { text(of: $0) }.joined(separator: ", "))]"
    default: "\(value)"
    }
  }

  private static func text(of number: NSNumber) -> String {
    let isDouble = unsafe UInt8(bitPattern: number.objCType.pointee) == UInt8(ascii: "d")
    return isDouble ? "DOUBLE \(number.doubleValue)" : "INT64 \(number.int64Value)"
  }

  private static func text(of asset: CKAsset) -> String {
    guard let url = asset.fileURL else { return "not fetched" }
    do {
      let data = try Data(contentsOf: url, options: .alwaysMapped)
      return String(validating: data, as: UTF8.self).map { short($0) } ?? short(data)
    } catch { return "whose file cannot be read" }
  }

  /// Shortens a long text to its length and its beginning.
  private static func short(_ text: String) -> String {
    let count = text.utf8.count
    guard count > shownBytes else { return text.debugDescription }
    return "\(count) bytes \(text.prefix(16).debugDescription)…"
  }

  private static func short(_ data: Data) -> String {
    let shown = data.prefix(shownBytes / 2)
    let digits = shown.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return data.count == shown.count ? "<\(digits)>" : "\(data.count) bytes <\(digits)>…"
  }
}
