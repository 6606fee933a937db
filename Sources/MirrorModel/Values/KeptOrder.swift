package import CloudRecords
package import ObjectRows

/// The order of an object's members, some of which are not there yet.
package struct KeptOrder: Hashable, Sendable {
  package let owner: RowKey
  /// The relationship, by the ordinal of the owner's layout.
  package let ordinal: Int
  package let zone: RecordZoneIdentifier
  /// The names of the members' records, in order.
  package var names: [String]
  /// Those of them that are not members yet; where there are none, the order need not be kept.
  package var awaited: [String]

  package init(
    owner: RowKey, ordinal: Int, zone: RecordZoneIdentifier, names: [String], awaited: [String]
  ) {
    self.owner = owner
    self.ordinal = ordinal
    self.zone = zone
    self.names = names
    self.awaited = awaited
  }
}
