package import CloudRecords
public import Foundation

// Sendable: `capabilities` is what the server said when the zone was made, and never changes.
/// A part of a database: what is saved together in it is saved as a whole, and its changes can be
/// followed.
///
/// Make zones in the private database. Every database has a default one, whose changes cannot be
/// followed.
open class CKRecordZone: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// What can be done with a zone.
  public struct Capabilities: OptionSet, Sendable {
    /// The bits of the capabilities.
    public let rawValue: UInt

    /// Capabilities by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// What changed since a token can be fetched.
    public static let fetchChanges = Capabilities(rawValue: 1 << 0)
    /// Records are saved all or none.
    public static let atomic = Capabilities(rawValue: 1 << 1)
    /// A record can be shared with everything under it.
    public static let sharing = Capabilities(rawValue: 1 << 2)
    /// The whole zone can be shared.
    public static let zoneWideSharing = Capabilities(rawValue: 1 << 3)
  }

  /// What shares a key where values are encrypted.
  public enum EncryptionScope: Int, Sendable {
    /// Each record has a key.
    case perRecord = 0
    /// All records of the zone have one.
    case perZone = 1
  }

  /// What shares a key where values of the zone are encrypted.
  ///
  /// Here a zone always has one key.
  open var encryptionScope: EncryptionScope { .perZone }

  /// The name of the zone and of its owner.
  public let zoneID: CKRecordZone.ID
  /// What can be done with the zone: nothing but saving and querying with the default zone.
  ///
  /// They are those of a zone of its kind before the zone was fetched.
  public let capabilities: Capabilities
  /// The share of the whole zone, where it has one: its record can be fetched by this name.
  ///
  /// Nil before the zone was fetched or saved, for who comes by the share of some records, and
  /// where the server does not tell it, as the documented protocol has no place for it.
  public let share: CKRecord.Reference?

  /// A zone of whoever is signed in, which is to be saved.
  public convenience init(zoneName: String) {
    self.init(zoneID: CKRecordZone.ID(zoneName: zoneName))
  }

  /// A zone by its name.
  public convenience init(zoneID: CKRecordZone.ID) {
    self.init(zoneID: zoneID, share: nil)
  }

  package init(zoneID: CKRecordZone.ID, share: CKRecord.Reference?) {
    self.zoneID = zoneID
    self.share = share
    capabilities = .presumed(of: zoneID)
  }

  /// A zone that the server knows.
  ///
  /// - Parameter shareName: The name of the record of the share of the whole zone.
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

  /// The default zone of whoever is signed in.
  public class func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

  // MARK: Archives

  /// Reads a zone from an archive; nil where it holds none.
  public required init?(coder: NSCoder) {
    guard let zoneID = coder.object(CKRecordZone.ID.self, Key.zoneID) else { return nil }
    self.zoneID = zoneID
    share = coder.object(CKRecord.Reference.self, Key.share)
    capabilities =
      coder.containsValue(forKey: Key.capabilities)
      ? Capabilities(rawValue: UInt(bitPattern: coder.decodeInteger(forKey: Key.capabilities)))
      : .presumed(of: zoneID)
  }

  /// Writes the zone into an archive.
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

  /// True: a zone holds its name, a reference and a number only.
  public static var supportsSecureCoding: Bool { true }

  /// The zone itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The zone's name and its owner's.
  open override var description: String { "<CKRecordZone: \(zoneID)>" }
}

extension CKRecordZone.Capabilities {
  /// Those of a zone that somebody made.
  static let all: Self = [.fetchChanges, .atomic, .sharing, .zoneWideSharing]

  /// Those of a zone that nobody has asked the server for.
  static func presumed(of zoneID: CKRecordZone.ID) -> Self {
    zoneID.zoneName == CKRecordZoneDefaultName ? [] : .all
  }
}
