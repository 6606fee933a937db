import CloudRecords
import JSONCoding
import RecordServer

/// Limits the length of log lines, because clients choose some of their texts.
enum LogLine {
  /// The limit of an error's reason.
  static let reasonBytes = 500

  /// The limit of a whole line with its JSON escapes.
  ///
  /// Log collectors split longer lines.
  static let bytes = 4_000

  /// The limit of any text in a line.
  ///
  /// It is halved until the line with its escapes fits.
  private static let textBytes = 2_000

  /// Creates a line, without its line end.
  ///
  /// - Parameter write: Writes the members, with no text longer than the given number of bytes.
  static func text(_ write: (inout JSONWriter, Int) -> Void) -> String {
    var most = textBytes
    var writer = JSONWriter(capacity: 256)
    while true {
      writer.beginObject()
      write(&writer, most)
      writer.endObject()
      guard writer.count > bytes, most > 1 else {
        return String(decoding: writer.array(), as: UTF8.self)
      }
      writer.removeAll()
      most /= 2
    }
  }
}

extension JSONWriter {
  /// Writes a member of a line if it has a value.
  mutating func member(_ key: StaticString, _ text: String?, toBytes most: Int) {
    guard let text else { return }
    self.key(key)
    string(text.cut(toBytes: most))
  }

  mutating func member(_ key: StaticString, _ number: Int64?) {
    guard let number else { return }
    self.key(key)
    int64(number)
  }
}
