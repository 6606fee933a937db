import Foundation

extension Console {
  /// Writes one JSON document with sorted keys.
  package func writeJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try writeLine(String(decoding: encoder.encode(value), as: UTF8.self))
  }
}
