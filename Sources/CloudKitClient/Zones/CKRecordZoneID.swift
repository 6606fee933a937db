import CloudRecords
public import Foundation

extension CKRecordZone {
  /// A zone's name together with its owner.
  public typealias ID = CKRecordZoneID
}

// Sendable: immutable.
/// A zone's name together with its owner; also available as `CKRecordZone.ID`.
public final class CKRecordZoneID: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The name of the zone, which is unique among its owner's zones.
  public let zoneName: String
  /// The owner's user record name; `CKCurrentUserDefaultName` for the current user.
  public let ownerName: String

  /// Creates a zone ID, for a zone of the current user or of another user who shares it.
  ///
  /// - Precondition: The name consists of 1 to 255 ASCII characters. Only the default zone's name
  ///   starts with an underscore.
  public init(zoneName: String, ownerName: String = CKCurrentUserDefaultName) {
    CloudName.zoneName.require(zoneName, "The zone name")
    precondition(
      !ownerName.isEmpty,
      "The owner's name of the zone “\(zoneName)” is empty. Use CKCurrentUserDefaultName.")
    self.zoneName = zoneName
    self.ownerName = ownerName
  }

  /// Creates a zone ID from names that the server sent, without validation.
  package init(received zoneName: String, ownerName: String) {
    self.zoneName = zoneName
    self.ownerName = ownerName
  }

  /// The ID of the current user's default zone.
  public static let `default` = CKRecordZoneID(zoneName: CKRecordZoneDefaultName)

  /// The name of the default zone.
  public static let defaultZoneName = CKRecordZoneDefaultName

  // MARK: Archives

  /// Creates a zone ID from an archive; nil if the archive contains none or an invalid one.
  public convenience init?(coder: NSCoder) {
    guard let zoneName = coder.text(Key.zoneName), let ownerName = coder.text(Key.ownerName),
      CloudName.zoneName.defect(in: zoneName) == nil, !ownerName.isEmpty
    else { return nil }
    self.init(zoneName: zoneName, ownerName: ownerName)
  }

  /// Encodes the zone ID into an archive.
  public func encode(with coder: NSCoder) {
    coder.encode(zoneName as NSString, forKey: Key.zoneName)
    coder.encode(ownerName as NSString, forKey: Key.ownerName)
  }

  private enum Key {
    static let zoneName = "ZoneName"
    static let ownerName = "OwnerName"
  }

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the zone ID itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// Whether two IDs denote the same zone of the same owner.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKRecordZoneID else { return false }
    return zoneName == other.zoneName && ownerName == other.ownerName
  }

  /// A hash that is the same for equal zone IDs.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(zoneName)
    hasher.combine(ownerName)
    return hasher.finalize()
  }

  /// The zone's name and its owner.
  public override var description: String { "\(zoneName):\(ownerName)" }
}
