import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

extension SharingError {
  /// Returns the error for programs, with its objects and zones.
  func cocoaError(_ layouts: ModelLayouts, _ identity: StoreIdentity) -> NSError {
    func objectID(_ key: RowKey) -> NSManagedObjectID {
      NSManagedObjectID(layout: layouts[key.layoutIndex], key: key.key, storeIdentity: identity)
    }
    func words(_ key: RowKey) -> String {
      "\(layouts[key.layoutIndex].entity.name ?? "") (\(objectID(key).uriRepresentation()))"
    }
    let (objects, zones, message, remedy): ([RowKey], [RecordZoneIdentifier], String, String) =
      switch self {
      case .readOnly(let object, let zone):
        (
          [object], [zone],
          "The object \(words(object)) is in a share that you may only read. Nothing was saved.",
          "Undo the change, or ask the owner for permission to write."
        )
      case .twoShares(let one, let zone, let other, let otherZone):
        (
          [one, other], [zone, otherZone],
          "The object \(words(one)) in the zone \(zone.zoneName) and the object \(words(other)) in "
            + "the zone \(otherZone.zoneName) are related, and belong to two shares. Nothing was "
            + "saved.",
          "Relate objects of one share only, or copy one of them."
        )
      case .isShared(let object, let zone):
        (
          [object], [zone],
          "The object \(words(object)) is shared already, in the zone \(zone.zoneName). Nothing "
            + "was moved.",
          "Share it with that share, or remove the relationship that leads to it. "
            + "sharePreview(of:) shows the way."
        )
      case .beyondScope(let relations):
        (
          relations.flatMap { [$0.0, $0.2] }, [],
          relations.prefix(3).map {
            "The object \(words($0.0)) is related by \($0.relationship) to \(words($0.2)), which "
              + "is beyond the scope."
          }.joined(separator: " ")
            + Self.words(forOthers: relations.count - 3) + " Nothing was shared.",
          "Remove the relations or copy the objects, save, and share again. "
            + "sharePreview(of:within:) lists them."
        )
      }
    return ManagedObjects.cocoaError(
      NSCoreDataError, message,
      [
        NSLocalizedRecoverySuggestionErrorKey: remedy,
        SharingErrorKey.objectIDs: objects.map(objectID),
        SharingErrorKey.zoneIDs: zones.filter { !$0.zoneName.isEmpty }.map(\.zoneID),
      ])
  }

  private static func words(forOthers count: Int) -> String {
    switch count {
    case ...0: ""
    case 1: " There is 1 other relation."
    default: " There are \(count) other relations."
    }
  }
}

/// Keys of the details of sharing errors.
enum SharingErrorKey {
  static let objectIDs = "ParhelionObjectIDs"
  static let zoneIDs = "ParhelionZoneIDs"
}
