import Foundation
import ManagedObjectModel
public import ObjectRows

/// Identity.
extension NSManagedObject: ObjectIdentified {
  /// The object's identifier, which is temporary until the object is first saved.
  public final var objectID: NSManagedObjectID {
    guard key >= 0 else {
      return NSManagedObjectID(layout: layout, temporaryKey: key, of: .of(context))
    }
    return NSManagedObjectID(
      layout: layout, key: key,
      storeIdentity: context?.storeIdentity(number: storeNumber) ?? owner.storeIdentity)
  }

  package final var identified: NSManagedObjectID { objectID }

  /// Whether the object is a fault: its values are not loaded.
  public final var isFault: Bool { flags.contains(.fault) }

  /// 0 for an object whose values are loaded, another number for a fault.
  public final var faultingState: Int { isFault ? 1 : 0 }

  final func isRelationshipFault(_ key: String) -> Bool {
    guard let ordinal = layout.ordinal(of: key),
      let relationship = layout.properties[ordinal] as? NSRelationshipDescription
    else { stopForUndefined(key) }
    if isFault { return true }
    if relationship.isToMany { return !(state?.members[ordinal]?.isLoaded ?? (self.key < 0)) }
    return false
  }

  final func identifiersOfRelated(_ key: String) -> [NSManagedObjectID] {
    guard let ordinal = layout.ordinal(of: key),
      let relationship = layout.properties[ordinal] as? NSRelationshipDescription
    else { stopForUndefined(key) }
    prepareAccess()
    guard relationship.isToMany else { return destination(ordinal).map { [$0.objectID] } ?? [] }
    return members(ordinal).objects.map(\.objectID)
  }
}
