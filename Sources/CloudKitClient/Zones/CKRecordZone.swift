package import CloudRecords
public import Foundation

// Sendable: immutable.
/// A zone that partitions the records of a database.
///
/// Custom zones support atomic saves and change feeds.
///
/// Create custom zones in the private database. The private and the public database have a default
/// zone, which has no change feed.
open class CKRecordZone: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The features of a zone.
  public struct Capabilities: OptionSet, Sendable {
    /// The capabilities as a bit mask.
    public let rawValue: UInt

    /// Creates capabilities from a bit mask.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The zone's changes since a token can be fetched.
    public static let fetchChanges = Capabilities(rawValue: 1 << 0)
    /// The records of a request are saved all together or not at all.
    public static let atomic = Capabilities(rawValue: 1 << 1)
    /// A record can be shared with its hierarchy.
    public static let sharing = Capabilities(rawValue: 1 << 2)
    /// The whole zone can be shared.
    public static let zoneWideSharing = Capabilities(rawValue: 1 << 3)
  }

  /// The scope of the keys of encrypted values.
  public enum EncryptionScope: Int, Sendable {
    /// Each record has its own key.
    case perRecord = 0
    /// All records of a zone share a key.
    case perZone = 1
  }

  /// The scope of the keys of encrypted values.
  ///
  /// Parhelion always uses one key per zone.
  open var encryptionScope: EncryptionScope { .perZone }

  /// The ID of the zone.
  public let zoneID: CKRecordZone.ID
  /// The features of the zone.
  ///
  /// The default zone supports only saving and querying.
  ///
  /// Before the zone is fetched, these are the usual features of a zone of its kind.
  public let capabilities: Capabilities
  /// A reference to the zone-wide share, if there is one.
  ///
  /// Nil before the zone is fetched or saved, and for participants of a hierarchy share. Also nil
  /// if the server does not report the share, which Apple's documented protocol does not contain.
  public let share: CKRecord.Reference?

  /// Creates a zone of the current user.
  ///
  /// It is not saved yet.
  public convenience init(zoneName: String) {
    self.init(zoneID: CKRecordZone.ID(zoneName: zoneName))
  }

  /// Creates a zone with an ID.
  public convenience init(zoneID: CKRecordZone.ID) {
    self.init(zoneID: zoneID, share: nil)
  }

  package init(zoneID: CKRecordZone.ID, share: CKRecord.Reference?) {
    self.zoneID = zoneID
    self.share = share
    capabilities = .presumed(of: zoneID)
  }

  /// Creates a zone from the server's response.
  ///
  /// - Parameter shareName: The record name of the zone-wide share.
  package init(known zoneID: CKRecordZone.ID, in scope: DatabaseScope, shareName: String?) {
    self.zoneID = zoneID
    share = shareName.map {
      CKRecord.Reference(recordID: CKRecord.ID(received: $0, zoneID: zoneID), action: .none)
    }
    let isDefault = zoneID.zoneName == CKRecordZoneDefaultName
    capabilities =
      switch scope {
      case .public: []
      case .private: isDefault ? [] : .all
      case .shared: [.fetchChanges, .atomic]
      }
  }

  /// The default zone of the current user.
  public class func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

  // MARK: Archives

  /// Creates a zone from an archive; nil if the archive contains none.
  public required init?(coder: NSCoder) {
    guard let zoneID = coder.object(CKRecordZone.ID.self, Key.zoneID) else { return nil }
    self.zoneID = zoneID
    share = coder.object(CKRecord.Reference.self, Key.share)
    capabilities =
      coder.containsValue(forKey: Key.capabilities)
      ? Capabilities(rawValue: UInt(bitPattern: coder.decodeInteger(forKey: Key.capabilities)))
      : .presumed(of: zoneID)
  }

  /// Encodes the zone into an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(zoneID, forKey: Key.zoneID)
    coder.encode(share, forKey: Key.share)
    coder.encode(Int(bitPattern: capabilities.rawValue), forKey: Key.capabilities)
  }

  private enum Key {
    static let zoneID = "ZoneID"
    static let share = "ShareReference"
    static let capabilities = "Capabilities"
  }

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the zone itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The ID of the zone.
  open override var description: String { "<CKRecordZone: \(zoneID)>" }
}

extension CKRecordZone.Capabilities {
  /// The capabilities of a custom zone.
  static let all: Self = [.fetchChanges, .atomic, .sharing, .zoneWideSharing]

  /// The presumed capabilities of a zone that has not been fetched.
  static func presumed(of zoneID: CKRecordZone.ID) -> Self {
    zoneID.zoneName == CKRecordZoneDefaultName ? [] : .all
  }
}
