import CloudRecords
import JSONCoding
import RecordServer

/// What bounds a line of the log: texts in it are as long as whoever sent them liked.
enum LogLine {
  /// Of the reason of an error.
  static let reasonBytes = 500

  /// Of a whole line, with the escapes of JSON: what collects logs takes longer ones apart.
  static let bytes = 4_000

  /// Of any text in it; where a line is too long for its escapes, half of that, and so on.
  private static let textBytes = 2_000

  /// A line, without its end.
  ///
  /// - Parameter write: Writes its members, with no text longer than so many bytes.
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
  /// Writes a member of a line, if there is one.
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
