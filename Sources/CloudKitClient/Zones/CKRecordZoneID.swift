import CloudRecords
public import Foundation

extension CKRecordZone {
  /// The name of a zone and of its owner.
  public typealias ID = CKRecordZoneID
}

// Sendable: immutable.
/// The name of a zone and of its owner: `CKRecordZone.ID`.
public final class CKRecordZoneID: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The name of the zone, which is unique among its owner's.
  public let zoneName: String
  /// The user record name of the owner; `CKCurrentUserDefaultName` where that is who is signed in.
  public let ownerName: String

  /// The name of a zone of whoever is signed in, or of somebody else who shares it.
  ///
  /// - Precondition: The name is of 1 to 255 ASCII characters and does not begin with an
  ///   underscore, which only that of the default zone does.
  public init(zoneName: String, ownerName: String = CKCurrentUserDefaultName) {
    CloudName.zoneName.require(zoneName, "The name of a zone")
    precondition(
      !ownerName.isEmpty,
      "The owner of the zone “\(zoneName)” has no name. Use CKCurrentUserDefaultName.")
    self.zoneName = zoneName
    self.ownerName = ownerName
  }

  /// A name that the server gave, which nobody here can do anything about.
  package init(received zoneName: String, ownerName: String) {
    self.zoneName = zoneName
    self.ownerName = ownerName
  }

  /// The default zone of whoever is signed in.
  public static let `default` = CKRecordZoneID(zoneName: CKRecordZoneDefaultName)

  /// The name of the default zone.
  public static let defaultZoneName = CKRecordZoneDefaultName

  // MARK: Archives

  /// Reads a name from an archive; nil where it holds none, or one that cannot be.
  public convenience init?(coder: NSCoder) {
    guard let zoneName = coder.text(Key.zoneName), let ownerName = coder.text(Key.ownerName),
      CloudName.zoneName.fault(in: zoneName) == nil, !ownerName.isEmpty
    else { return nil }
    self.init(zoneName: zoneName, ownerName: ownerName)
  }

  /// Writes the name into an archive.
  public func encode(with coder: NSCoder) {
    coder.encode(zoneName as NSString, forKey: Key.zoneName)
    coder.encode(ownerName as NSString, forKey: Key.ownerName)
  }

  private enum Key {
    static let zoneName = "ZoneName"
    static let ownerName = "OwnerName"
  }

  /// True: a name holds texts only.
  public static var supportsSecureCoding: Bool { true }

  /// The name itself: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Identity

  /// Names are equal where they name the same zone of the same owner.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKRecordZoneID else { return false }
    return zoneName == other.zoneName && ownerName == other.ownerName
  }

  /// Equal names have equal hashes.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(zoneName)
    hasher.combine(ownerName)
    return hasher.finalize()
  }

  /// The zone's name and its owner's.
  public override var description: String { "\(zoneName):\(ownerName)" }
}
