import CloudRecords
public import Foundation

extension CKRecord {
  /// The name of a record and of its zone.
  public typealias ID = CKRecordID
}

// Sendable: immutable.
/// The name of a record and of its zone: `CKRecord.ID`.
public final class CKRecordID: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The name of the record, which is unique in its zone.
  public let recordName: String
  /// The zone in which the record lies.
  public let zoneID: CKRecordZone.ID

  /// The name of a record: a new one in the default zone where nothing else is said.
  ///
  /// - Precondition: The name is of 1 to 255 ASCII characters.
  public init(recordName: String = UUID().uuidString, zoneID: CKRecordZone.ID = .default) {
    CloudName.recordName.require(recordName, "The name of a record")
    self.recordName = recordName
    self.zoneID = zoneID
  }

  /// A name that the server gave, which nobody here can do anything about.
  package init(received recordName: String, zoneID: CKRecordZone.ID) {
    self.recordName = recordName
    self.zoneID = zoneID
  }

  // MARK: Archives

  /// Reads a name from an archive; nil where it holds none, or one that cannot be.
  public convenience init?(coder: NSCoder) {
    guard let recordName = coder.text(Key.recordName),
      CloudName.recordName.fault(in: recordName) == nil,
      let zoneID = coder.object(CKRecordZone.ID.self, Key.zoneID)
    else { return nil }
    self.init(recordName: recordName, zoneID: zoneID)
  }

  /// Writes the name into an archive.
  public func encode(with coder: NSCoder) {
    coder.encode(recordName as NSString, forKey: Key.recordName)
    coder.encode(zoneID, forKey: Key.zoneID)
  }

  private enum Key {
    static let recordName = "RecordName"
    static let zoneID = "ZoneID"
  }

  /// True: a name holds texts only.
  public static var supportsSecureCoding: Bool { true }

  /// The name itself: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// Names are equal where they name the same record of the same zone.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKRecordID else { return false }
    return recordName == other.recordName && zoneID == other.zoneID
  }

  /// Equal names have equal hashes.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(recordName)
    hasher.combine(zoneID)
    return hasher.finalize()
  }

  /// The record's name and its zone's.
  public override var description: String {
    "<CKRecordID: recordName=\(recordName), zoneID=\(zoneID)>"
  }
}
