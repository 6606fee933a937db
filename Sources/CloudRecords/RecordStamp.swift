/// The user who created or modified a record, with the time and the device.
package struct RecordStamp: Hashable, Sendable {
  package var time: Timestamp
  package var userRecordName: String
  /// An identifier that the client chose; empty if it sent none.
  package var deviceIdentifier: String

  package init(time: Timestamp, userRecordName: String, deviceIdentifier: String = "") {
    self.time = time
    self.userRecordName = userRecordName
    self.deviceIdentifier = deviceIdentifier
  }

  /// Returns this stamp with a time that is not earlier than that of another stamp.
  ///
  /// A clock may have been set back in between.
  package func notBefore(_ other: RecordStamp) -> RecordStamp {
    var stamp = self
    stamp.time = max(time, other.time)
    return stamp
  }
}
