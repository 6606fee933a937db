import CloudRecords
import Foundation
import Synchronization

/// A compact encoding of a record's system fields, which mirroring stores for each object.
///
/// A keyed archive of these fields takes a hundred times as long.
extension CKRecord {
  /// The record's type, ID, change tag, and creation and modification stamps.
  package var systemFields: [UInt8] { systemFields(of: nil) }

  /// Returns the system fields in a form that other users can read.
  ///
  /// - Parameter user: The current user's record name, which replaces `CKCurrentUserDefaultName`;
  ///   nil if it is unknown or no other user will read the result.
  package func systemFields(of user: String?) -> [UInt8] {
    let state = state.withLock { $0 }
    let zoneID = state.recordID.zoneID
    let parts =
      [
        Self.version, state.recordType, state.recordID.recordName, zoneID.zoneName,
        zoneID.ownerName,
        state.changeTag ?? "",
      ] + Self.parts(state.created, user) + Self.parts(state.modified, user)
    return Array(parts.joined(separator: Self.separator).utf8)
  }

  /// Creates a record without fields from its encoded system fields; nil if they are invalid.
  ///
  /// - Parameter user: The current user's record name, which `CKCurrentUserDefaultName` replaces.
  package convenience init?(systemFields: [UInt8], of user: String? = nil) {
    let parts = String(decoding: systemFields, as: UTF8.self)
      .split(separator: Character(Self.separator), omittingEmptySubsequences: false).map(
        String.init)
    guard parts.count == 10, parts[0] == Self.version else { return nil }
    let zoneID = CKRecordZone.ID(received: parts[3], ownerName: parts[4])
    var state = RecordState(
      recordType: parts[1], recordID: CKRecord.ID(received: parts[2], zoneID: zoneID))
    state.changeTag = parts[5].isEmpty ? nil : parts[5]
    state.created = Self.stamp(parts[6], parts[7], user)
    state.modified = Self.stamp(parts[8], parts[9], user)
    self.init(state)
  }

  private static let version = "1"
  /// The separator of the parts, which occurs in no name.
  private static let separator = "\n"

  private static func parts(_ stamp: RecordState.Stamp?, _ user: String?) -> [String] {
    guard let stamp else { return ["", ""] }
    let name = stamp.user.recordName
    return [
      name == CKCurrentUserDefaultName ? user ?? name : name,
      String(Timestamp(stamp.date).milliseconds),
    ]
  }

  private static func stamp(_ name: String, _ milliseconds: String, _ user: String?) -> RecordState
    .Stamp?
  {
    guard let milliseconds = Int64(milliseconds) else { return nil }
    return RecordState.Stamp(
      user: CKRecord.ID(received: name == user ? CKCurrentUserDefaultName : name, zoneID: .default),
      date: Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
  }
}
