package import Foundation

/// The lines that devices read and write.
package enum DemoLine {
  /// A value as one line, without its newline.
  package static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// The value of a line.
  package static func value<Value: Decodable>(_ type: Value.Type, from line: String) throws -> Value
  {
    try JSONDecoder().decode(type, from: Data(line.utf8))
  }
}

/// Splits a stream of bytes into lines.
package struct LineSplitter: Sendable {
  private var rest: [UInt8] = []

  package init() {}

  /// The lines that are complete after these bytes.
  package mutating func take(_ bytes: Data) -> [String] {
    rest += bytes
    var parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    rest = Array(parts.removeLast())
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }
}
