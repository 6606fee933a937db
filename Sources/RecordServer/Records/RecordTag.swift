/// The text form of a record's tag: a number in base 36, as in CloudKit.
enum RecordTag {
  static func text(_ tag: UInt64) -> String { String(tag, radix: 36) }
}
