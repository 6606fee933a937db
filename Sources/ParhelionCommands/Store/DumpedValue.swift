import Foundation
import ManagedObjectModel
import SQLiteDriver
import SQLiteStore

/// What a dump shows of the value of an attribute.
///
/// Dates are seconds since 2001, UUIDs are in upper case, bytes are in base 64. A value that does not fit the attribute's
/// type is shown as it lies in the file.
struct DumpedValue {
  /// The folder of values in files of their own.
  let externalFolder: URL?
  /// Told of values that cannot be read.
  let report: (String) -> Void

  /// The value as JSON text.
  func json(_ value: Value, of attribute: NSAttributeDescription) -> String {
    switch (value, attribute.attributeType) {
    case (.null, _): "null"
    case (.integer(let number), .booleanAttributeType) where number == 0 || number == 1: number == 1 ? "true" : "false"
    case (.blob(let bytes), .UUIDAttributeType) where bytes.count == 16: JSONText.string(Self.uuid(bytes))
    case (.blob(let bytes), _) where attribute.allowsExternalBinaryDataStorage: external(bytes)
    case (.integer(let number), _): "\(number)"
    case (.real(let number), _): JSONText.number(number)
    case (.text(let text), _): JSONText.string(text)
    case (.blob(let bytes), _): JSONText.string(Data(bytes).base64EncodedString())
    }
  }

  private func external(_ bytes: [UInt8]) -> String {
    switch ExternalReference(stored: Data(bytes)) {
    case .inline(let data): return JSONText.string(data.base64EncodedString())
    case .file(let name):
      do {
        guard let externalFolder else { return "null" }
        let data = try Data(contentsOf: externalFolder.appendingPathComponent(name))
        return JSONText.string(data.base64EncodedString())
      } catch {
        report("The value in the file \(name) cannot be read; it is shown as null.")
        return "null"
      }
    }
  }

  private static func uuid(_ bytes: [UInt8]) -> String {
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    return [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]].map { $0.joined() }.joined(separator: "-")
  }
}
