package import CloudRecords

/// A change of one record, for listeners.
package struct RecordEvent: Hashable, Sendable {
  package var event: Subscription.Event
  /// The record as it is now, or before its deletion.
  package var record: StoredRecord
  /// Whether the record has its fields.
  ///
  /// After large deletions it does not.
  package var isWhole = true

  package init(event: Subscription.Event, record: StoredRecord) {
    self.event = event
    self.record = record
  }
}

/// A committed change of a zone.
package struct ZoneNotice: Hashable, Sendable {
  package var container: ContainerAddress
  package var realm: Realm
  /// Public, or private for any zone that belongs to a user.
  package var scope: DatabaseScope
  package var zone: RecordZoneIdentifier
  /// The positions before and after the change.
  package var positions: Range<UInt64>
  /// The name of the record of the zone-wide share.
  package var zoneShareName: String?
  /// The caller that made the change.
  package var caller: Caller
  /// The device that made the change, which is not notified.
  package var deviceToken: String?
  package var events: [RecordEvent]
  /// Former participants of a share of the zone.
  package var removedParticipants: Set<String> = []
  /// The users who may read saved key bags, and may now be able to open more values.
  package var keyReaders: Set<String> = []

  package init(
    _ call: Call, zone: RecordZoneIdentifier, positions: Range<UInt64>, zoneShareName: String?,
    events: [RecordEvent]
  ) {
    container = call.container
    realm = call.realm
    scope = call.scope == .public ? .public : .private
    self.zone = zone
    self.positions = positions
    self.zoneShareName = zoneShareName
    caller = call.caller
    deviceToken = call.deviceToken
    self.events = events
  }

  /// The shares that showed a record before this change and no longer do.
  func endedShares(of record: StoredRecord) -> some Sequence<String> {
    record.formerShares.lazy.filter { $0.end.map { $0 > positions.lowerBound } ?? true }.map(\.name)
  }

  /// Whether users other than the owner may see, or have seen, what changed.
  var concernsParticipants: Bool {
    guard scope == .private else { return false }
    return zoneShareName != nil || !removedParticipants.isEmpty || !keyReaders.isEmpty
      || events.contains { event in
        event.record.coveringShareName != nil || !event.record.formerShares.isEmpty
          || event.record.share != nil
      }
  }
}

/// A change of subscriptions or devices.
package enum ListeningChange: Hashable, Sendable {
  /// The subscriptions of a user to a database.
  case subscriptions(Realm, DatabaseScope, user: String)
  /// Subscriptions of a user were removed, or changed their subject.
  case ended(EndedSubscriptions)
  /// The devices of a user changed; the tokens of removed devices must receive nothing more.
  case devices(Realm, user: String, gone: Set<String>)
}

/// Subscriptions that no longer notify a user's devices.
package struct EndedSubscriptions: Hashable, Sendable {
  package var container: String
  package var realm: Realm
  package var scope: DatabaseScope
  package var user: String
  /// The subscriptions before they ended.
  package var subscriptions: [Subscription]
  /// The device that ended them, which is not notified.
  package var deviceToken: String?

  package init(_ call: Call, _ subscriptions: [Subscription]) {
    (container, realm, scope) = (call.container.container, call.realm, call.scope)
    (user, deviceToken) = (call.callerName, call.deviceToken)
    self.subscriptions = subscriptions
  }
}

/// An observer that is notified of every change after the commit.
///
/// Its methods must be fast: the response to the client waits for them.
package protocol ChangeListener: Sendable {
  func zonesChanged(_ notices: [ZoneNotice])

  func listeningChanged(_ change: ListeningChange)
}
