/// Who did something to a record, when, and from which device.
package struct RecordStamp: Hashable, Sendable {
  package var time: Timestamp
  package var userRecordName: String
  /// A text that the client chose; empty where it said none.
  package var deviceIdentifier: String

  package init(time: Timestamp, userRecordName: String, deviceIdentifier: String = "") {
    self.time = time
    self.userRecordName = userRecordName
    self.deviceIdentifier = deviceIdentifier
  }

  /// The same, but no earlier than another stamp: a clock may have been set back since.
  package func notBefore(_ other: RecordStamp) -> RecordStamp {
    var stamp = self
    stamp.time = max(time, other.time)
    return stamp
  }
}
