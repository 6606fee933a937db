package import CloudRecords

/// What happened to one record, for those who listen.
package struct RecordEvent: Hashable, Sendable {
  package var event: Subscription.Event
  /// The record as it is now, or as it was before it was deleted.
  package var record: StoredRecord

  package init(event: Subscription.Event, record: StoredRecord) {
    self.event = event
    self.record = record
  }
}

/// A zone changed, and the change cannot be lost any more.
package struct ZoneNotice: Hashable, Sendable {
  package var realm: Realm
  /// Public, or private for all zones that belong to a user.
  package var scope: DatabaseScope
  package var zone: RecordZoneIdentifier
  /// From behind which position up to which.
  package var positions: Range<UInt64>
  /// Who did it: the device that wrote is not told.
  package var caller: Caller
  package var events: [RecordEvent]

  package init(
    realm: Realm, scope: DatabaseScope, zone: RecordZoneIdentifier, positions: Range<UInt64>, caller: Caller,
    events: [RecordEvent]
  ) {
    self.realm = realm
    self.scope = scope
    self.zone = zone
    self.positions = positions
    self.caller = caller
    self.events = events
  }
}

/// Is told of every change, after it was stored.
///
/// It must not take long: the answer to the client waits for it.
package protocol ChangeListener: Sendable {
  func zonesChanged(_ notices: [ZoneNotice])
}
