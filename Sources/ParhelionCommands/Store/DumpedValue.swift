import Foundation
import ManagedObjectModel
import SQLiteDriver
import SQLiteStore

/// The form of an attribute's value in a dump.
///
/// Dates are seconds since 2001, UUIDs are in upper case, bytes are in Base64. A value that does
/// not match the attribute's type is shown in its stored form. Readable dumps add the ISO 8601 form
/// to dates, and truncate long data.
struct DumpedValue {
  /// Whether the dump is for people rather than programs.
  let isForReading: Bool
  /// The folder of external files.
  let externalFolder: URL?
  /// Called for values that cannot be read.
  let report: (String) -> Void

  /// The value as JSON text.
  func json(_ value: Value, of attribute: NSAttributeDescription) -> String {
    switch (value, attribute.attributeType) {
    case (.integer(let number), .booleanAttributeType) where number == 0 || number == 1:
      number == 1 ? "true" : "false"
    case (.blob(let bytes), .UUIDAttributeType) where bytes.count == 16:
      JSONText.string(Self.uuid(bytes))
    case (.blob(let bytes), _) where attribute.allowsExternalBinaryDataStorage: external(bytes)
    case (.real(let seconds), .dateAttributeType) where isForReading: Self.date(seconds)
    case (.integer(let seconds), .dateAttributeType) where isForReading: Self.date(Double(seconds))
    default: json(value)
    }
  }

  /// The stored value as JSON text.
  func json(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .real(let number): JSONText.number(number)
    case .text(let text): JSONText.string(text)
    case .blob(let bytes): data(Data(bytes))
    }
  }

  private func external(_ bytes: [UInt8]) -> String {
    switch ExternalReference(stored: Data(bytes)) {
    case .inline(let bytes): return data(bytes)
    case .file(let name):
      do {
        guard let externalFolder else { return "null" }
        return data(try Data(contentsOf: externalFolder.appendingPathComponent(name)))
      } catch {
        report("The value in the file \(name) cannot be read; it is shown as null.")
        return "null"
      }
    }
  }

  /// The maximum number of bytes that a line shows of a value.
  private static let shownBytes = 48

  private func data(_ bytes: Data) -> String {
    guard isForReading, bytes.count > Self.shownBytes else {
      return JSONText.string(bytes.base64EncodedString())
    }
    return
      "\(JSONText.string(bytes.prefix(Self.shownBytes).base64EncodedString()))… of \(bytes.count) bytes"
  }

  /// A date as seconds, and in ISO 8601 if it is within 3,000 years of 2001.
  private static func date(_ seconds: Double) -> String {
    let number = JSONText.number(seconds)
    guard abs(seconds) < 100_000_000_000 else { return number }
    return "\(number) (\(Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601)))"
  }

  private static func uuid(_ bytes: [UInt8]) -> String {
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    return [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]].map { $0.joined() }
      .joined(separator: "-")
  }
}
