package import CloudRecords

/// What happened to one record, for those who listen.
package struct RecordEvent: Hashable, Sendable {
  package var event: Subscription.Event
  /// The record as it is now, or as it was before it was deleted.
  package var record: StoredRecord
  /// Whether the record has its fields; of much that is deleted at once nobody keeps them.
  package var isWhole = true

  package init(event: Subscription.Event, record: StoredRecord) {
    self.event = event
    self.record = record
  }
}

/// A zone changed, and the change cannot be lost any more.
package struct ZoneNotice: Hashable, Sendable {
  package var container: ContainerAddress
  package var realm: Realm
  /// Public, or private for all zones that belong to a user.
  package var scope: DatabaseScope
  package var zone: RecordZoneIdentifier
  /// From behind which position up to which.
  package var positions: Range<UInt64>
  /// The share of the whole zone, by the name of its record.
  package var zoneShareName: String?
  /// Who did it.
  package var caller: Caller
  /// The device that did it, which is not told.
  package var deviceToken: String?
  package var events: [RecordEvent]
  /// Who took part in a share of the zone before, and does no more.
  package var sentAway: Set<String> = []
  /// Who may read keys that were saved: what they could not open, perhaps they can now.
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

  /// The shares that showed a record until this change.
  func endedShares(of record: StoredRecord) -> some Sequence<String> {
    record.formerShares.lazy.filter { $0.end.map { $0 > positions.lowerBound } ?? true }.map(\.name)
  }

  /// Whether somebody beside the owner may see, or have seen, what changed.
  var concernsParticipants: Bool {
    guard scope == .private else { return false }
    return zoneShareName != nil || !sentAway.isEmpty || !keyReaders.isEmpty
      || events.contains { event in
        event.record.coveringShareName != nil || !event.record.formerShares.isEmpty
          || event.record.share != nil
      }
  }
}

/// Somebody listens to something else than before.
package enum ListeningChange: Hashable, Sendable {
  /// The subscriptions of a user to a database.
  case subscriptions(Realm, DatabaseScope, user: String)
  /// Subscriptions of a user are there no more, or are about something else.
  case ended(EndedSubscriptions)
  /// The devices of a user; and the tokens of those that must hear nothing more.
  case devices(Realm, user: String, gone: Set<String>)
}

/// Subscriptions by which a user's devices hear nothing any more.
package struct EndedSubscriptions: Hashable, Sendable {
  package var container: String
  package var realm: Realm
  package var scope: DatabaseScope
  package var user: String
  /// As they were.
  package var subscriptions: [Subscription]
  /// The device that ended them, which is not told.
  package var deviceToken: String?

  package init(_ call: Call, _ subscriptions: [Subscription]) {
    (container, realm, scope) = (call.container.container, call.realm, call.scope)
    (user, deviceToken) = (call.callerName, call.deviceToken)
    self.subscriptions = subscriptions
  }
}

/// Is told of every change, after it was stored.
///
/// It must not take long: the answer to the client waits for it.
package protocol ChangeListener: Sendable {
  func zonesChanged(_ notices: [ZoneNotice])

  func listeningChanged(_ change: ListeningChange)
}
