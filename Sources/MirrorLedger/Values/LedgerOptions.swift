package import CloudRecords
package import Foundation
import ManagedObjectModel
package import ObjectRows

/// The settings and dependencies of a ledger.
package struct LedgerOptions: Sendable {
  /// The zone of new objects' records.
  package var homeZone: RecordZoneIdentifier
  /// Creates record names.
  package var makeUUID: @Sendable () -> UUID
  package var now: @Sendable () -> Date
  /// Returns the sent properties of an entity, by ordinal; nil for an entity that is not mirrored.
  ///
  /// Many-to-many relationships need not be among them, because their pairs have separate records.
  package var tracked: @Sendable (RowLayout) -> OrdinalSet?
  /// Converts an error of sharing to the error that a program gets when a save breaks a rule.
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
  /// Returns stored attributes that are not computed, to-one relationships, and ordered to-many
  /// relationships.
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
