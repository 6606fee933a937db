import CloudRecords
public import Foundation

extension CKRecord {
  /// A record's name together with its zone.
  public typealias ID = CKRecordID
}

// Sendable: immutable.
/// A record's name together with its zone; also available as `CKRecord.ID`.
public final class CKRecordID: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The name of the record, which is unique in its zone.
  public let recordName: String
  /// The zone of the record.
  public let zoneID: CKRecordZone.ID

  /// Creates a record ID, by default with a new name in the default zone.
  ///
  /// - Precondition: The name consists of 1 to 255 printable ASCII characters.
  public init(recordName: String = UUID().uuidString, zoneID: CKRecordZone.ID = .default) {
    CloudName.recordName.require(recordName, "The record name")
    self.recordName = recordName
    self.zoneID = zoneID
  }

  /// Creates a record ID from a name that the server sent, without validation.
  package init(received recordName: String, zoneID: CKRecordZone.ID) {
    self.recordName = recordName
    self.zoneID = zoneID
  }

  // MARK: Archives

  /// Creates a record ID from an archive; nil if the archive contains none or an invalid one.
  public convenience init?(coder: NSCoder) {
    guard let recordName = coder.text(Key.recordName),
      CloudName.recordName.defect(in: recordName) == nil,
      let zoneID = coder.object(CKRecordZone.ID.self, Key.zoneID)
    else { return nil }
    self.init(recordName: recordName, zoneID: zoneID)
  }

  /// Encodes the record ID into an archive.
  public func encode(with coder: NSCoder) {
    coder.encode(recordName as NSString, forKey: Key.recordName)
    coder.encode(zoneID, forKey: Key.zoneID)
  }

  private enum Key {
    static let recordName = "RecordName"
    static let zoneID = "ZoneID"
  }

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the record ID itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// Whether two IDs denote the same record in the same zone.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKRecordID else { return false }
    return recordName == other.recordName && zoneID == other.zoneID
  }

  /// A hash that is the same for equal record IDs.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(recordName)
    hasher.combine(zoneID)
    return hasher.finalize()
  }

  /// The record's name and its zone.
  public override var description: String {
    "<CKRecordID: recordName=\(recordName), zoneID=\(zoneID)>"
  }
}
