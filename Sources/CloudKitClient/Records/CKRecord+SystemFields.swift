import Foundation
import Synchronization

/// What is known of a record beside its fields, in a form that is made and read in no time:
/// mirroring keeps one for each object.
///
/// A keyed archive says the same, and takes a hundred times as long.
extension CKRecord {
  /// The type, the name, the tag, and who made and changed the record when.
  package var systemFields: [UInt8] { systemFields(of: nil) }

  /// The same, where other users may read it.
  ///
  /// - Parameter user: The name of who is signed in, which stands for itself then; nil where it is
  ///   not known, or nobody else ever reads it.
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

  /// A record without fields, as it was last seen; nil where the bytes are none of ours.
  ///
  /// - Parameter user: The name of who is signed in, for whom `CKCurrentUserDefaultName` stands.
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
  /// No name of a record or a user has it.
  private static let separator = "\n"

  private static func parts(_ stamp: RecordState.Stamp?, _ user: String?) -> [String] {
    guard let stamp else { return ["", ""] }
    let name = stamp.user.recordName
    return [
      name == CKCurrentUserDefaultName ? user ?? name : name,
      String(Int64((stamp.date.timeIntervalSince1970 * 1_000).rounded())),
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
