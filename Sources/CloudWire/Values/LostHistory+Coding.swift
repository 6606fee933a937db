import CloudRecords
import JSONCoding

extension JSONWriter {
  /// Writes `{"lost": [{"after": "3", "through": "cre66i9s5"}, …], "readThrough": "3"}`, with
  /// base-36 numbers as in tags.
  mutating func lostHistory(_ history: LostHistory) {
    beginObject()
    key("lost")
    beginArray()
    for range in history.lost {
      beginObject()
      text("after", String(range.after, radix: 36))
      text("through", ifPresent: range.through.map { String($0, radix: 36) })
      endObject()
    }
    endArray()
    text("readThrough", ifPresent: history.readThrough.map { String($0, radix: 36) })
    endObject()
  }
}

extension LostHistory {
  private enum Key: String, JSONKey {
    case lost, readThrough
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    self.init(lost: [])
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .lost:
        lost = try reader.lenientList { (reader) throws(JSONError) in try Range(from: &reader) }
      case .readThrough: readThrough = try reader.optionalTagNumber()
      }
    }
  }
}

extension LostHistory.Range {
  private enum Key: String, JSONKey {
    case after, through
    static let table = JSONKeyTable<Key>()
  }

  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    var (after, through): (UInt64?, UInt64?) = (nil, nil)
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .after: after = try reader.optionalTagNumber()
      case .through: through = try reader.optionalTagNumber()
      }
    }
    guard let after else { throw reader.missingKey(Key.after) }
    self.init(after: after, through: through)
  }
}

extension JSONReader {
  /// Reads a number in base 36, as in tags, or nil for `null`.
  fileprivate mutating func optionalTagNumber() throws(JSONError) -> UInt64? {
    guard let text = try optionalText() else { return nil }
    guard let number = UInt64(text, radix: 36) else {
      throw invalidValue("expected a number in base 36")
    }
    return number
  }
}
