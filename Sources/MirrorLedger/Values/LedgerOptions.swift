package import CloudRecords
package import Foundation
import ManagedObjectModel
package import ObjectRows

/// The settings and dependencies of a ledger.
package struct LedgerOptions: Sendable {
  /// The zone in which the records of new objects come into being.
  package var homeZone: RecordZoneIdentifier
  /// Gives the names of records.
  package var makeUUID: @Sendable () -> UUID
  package var now: @Sendable () -> Date
  /// The properties of an entity that are sent, by ordinal; nil for an entity that is not mirrored.
  ///
  /// Many-to-many relationships need not be among them: their pairs are records of their own.
  package var tracked: @Sendable (RowLayout) -> OrdinalSet?
  /// The error that a program gets if a save breaks a rule of sharing.
  package var explain: @Sendable (SharingError) -> any Error = { $0 }

  package init(
    homeZone: RecordZoneIdentifier, makeUUID: @escaping @Sendable () -> UUID,
    now: @escaping @Sendable () -> Date,
    tracked: @escaping @Sendable (RowLayout) -> OrdinalSet? = TrackedProperties.standard
  ) {
    self.homeZone = homeZone
    self.makeUUID = makeUUID
    self.now = now
    self.tracked = tracked
  }
}

/// The properties that are sent by default.
package enum TrackedProperties {
  /// Attributes that the store keeps and does not compute, to-one relationships, and to-many
  /// relationships with an order.
  package static func standard(_ layout: RowLayout) -> OrdinalSet? {
    OrdinalSet(layout.properties.indices.filter { isTracked(layout.properties[$0]) })
  }

  private static func isTracked(_ property: NSPropertyDescription) -> Bool {
    if property.isTransient || property is NSDerivedAttributeDescription { return false }
    if let relationship = property as? NSRelationshipDescription {
      return !relationship.isToMany || relationship.isOrdered
    }
    return property is NSAttributeDescription
  }
}
