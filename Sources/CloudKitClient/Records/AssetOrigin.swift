import CloudRecords
import Foundation

/// The field of a record that an asset came from.
///
/// It lets the server reuse the file in another record.
struct AssetOrigin: Hashable, Comparable, Sendable {
  var scope: DatabaseScope
  var record: RecordIdentifier
  var field: String

  init(scope: DatabaseScope, record: RecordIdentifier, field: String) {
    (self.scope, self.record, self.field) = (scope, record, field)
  }

  static func < (one: Self, other: Self) -> Bool {
    (one.scope.rawValue, one.record, one.field) < (other.scope.rawValue, other.record, other.field)
  }
}

// MARK: Archives

extension AssetOrigin {
  init?(coder: NSCoder) {
    guard let name = coder.text(Key.record), let field = coder.text(Key.field),
      let zone = coder.text(Key.zone), let owner = coder.text(Key.owner),
      let number = UInt8(exactly: coder.decodeInteger(forKey: Key.scope)),
      let scope = DatabaseScope(rawValue: number)
    else { return nil }
    let record = RecordIdentifier(
      recordName: name, zone: RecordZoneIdentifier(zoneName: zone, ownerName: owner))
    self.init(scope: scope, record: record, field: field)
  }

  func encode(with coder: NSCoder) {
    coder.encode(Int(scope.rawValue), forKey: Key.scope)
    coder.encode(record.recordName as NSString, forKey: Key.record)
    coder.encode(record.zone.zoneName as NSString, forKey: Key.zone)
    coder.encode(record.zone.ownerName as NSString, forKey: Key.owner)
    coder.encode(field as NSString, forKey: Key.field)
  }

  private enum Key {
    static let scope = "AssetPlaceScope"
    static let record = "AssetPlaceRecord"
    static let zone = "AssetPlaceZone"
    static let owner = "AssetPlaceOwner"
    static let field = "AssetPlaceField"
  }
}
