import CloudRecords
import CloudWire
import RecordStorage

/// A notification and the devices that receive it.
struct PushDelivery: Sendable {
  var notification: PushNotification
  var tokens: [String]
}

/// The notifications for a change, found in one transaction.
struct PushMatch: Sendable {
  /// A subscription that fires only once, and has fired.
  struct FiredSubscription: Sendable {
    var store: SubscriptionStore
    var user: String
    var identifier: String
  }

  var deliveries: [PushDelivery] = []
  var spent: [FiredSubscription] = []
}

/// Finds the subscriptions that a change matches.
///
/// The owner's subscriptions come first, then those of all participants of the shares that the
/// change touched. Each is checked like a reader of the zone, so that no user is notified of
/// records that they may not see.
final class PushMatcher {
  private let notice: ZoneNotice
  private let server: RecordServer
  private let index: SubscriptionIndex
  private let version: UInt64
  private let transaction: any StorageReading
  private let schema: SchemaCopy
  private var match = PushMatch()
  /// The number of notifications, by user.
  private var counts: [String: Int] = [:]

  init(
    _ notice: ZoneNotice, _ server: RecordServer, _ index: SubscriptionIndex, version: UInt64,
    _ transaction: any StorageReading
  ) throws {
    self.notice = notice
    self.server = server
    self.index = index
    self.version = version
    self.transaction = transaction
    schema = try SchemaCopy(of: notice.realm, in: transaction, parsed: server.parsedSchemas)
  }

  func run() throws -> PushMatch {
    let owner = notice.zone.ownerName
    try ask(SubscriptionStore(realm: notice.realm, scope: notice.scope, user: owner))
    if notice.scope == .private {
      for user in try participants().sorted() where user != owner {
        try ask(SubscriptionStore(realm: notice.realm, scope: .shared, user: user))
      }
    }
    return match
  }

  /// All users who may see a part of the change through its shares.
  private func participants() throws -> Set<String> {
    var names: Set<String> = notice.zoneShareName.map { [$0] } ?? []
    var users = notice.removedParticipants.union(notice.keyReaders)
    for event in notice.events {
      if let share = event.record.coveringShareName { names.insert(share) }
      names.formUnion(notice.endedShares(of: event.record))
      users.formUnion(event.record.share?.userRecordNames ?? [])
    }
    guard !names.isEmpty else { return users }
    let database = DatabaseKeys(realm: notice.realm, owner: notice.zone.ownerName)
    guard
      let zone = try ZoneDirectory(database: database).zone(
        named: notice.zone.zoneName, in: transaction)
    else {
      return users
    }
    let draft = ZoneDraft(
      zone: zone, keys: ZoneKeys(database: database, number: zone.number), transaction: transaction)
    try draft.load(names.sorted())
    for name in names { users.formUnion(try draft.record(name)?.share?.userRecordNames ?? []) }
    return users
  }

  // MARK: Matching

  private func ask(_ store: SubscriptionStore) throws {
    let listed = try index.subscriptions(store, schema: schema, version: version, in: transaction)
    guard !listed.isEmpty else { return }
    var visibilities: [String: Visibility] = [:]
    for one in listed.others where !isFull(one) && concerns(one.subscription) {
      guard try visibility(of: one.user, store.scope, &visibilities).seesChange else { continue }
      switch one.subscription.kind {
      case .zone: try addDelivery(one, store, .zone(notice.zone))
      case .database: try addDelivery(one, store, .database(notice.zone))
      case .query: continue
      }
    }
    var spent: Set<String> = []
    for event in notice.events {
      for one in listed.queries[event.record.recordType] ?? []
      where !isFull(one) && fires(one, on: event) {
        let mark = "\(one.user)\n\(one.subscription.identifier)"
        guard !spent.contains(mark),
          try visibility(of: one.user, store.scope, &visibilities).shows(event.record)
        else { continue }
        try addDelivery(one, store, content(event, one), event.record)
        if one.subscription.firesOnce { spent.insert(mark) }
      }
    }
  }

  /// Whether a subscription's user already gets the maximum number of notifications of the change.
  ///
  /// A subscription that fires once is never left out, since it is only removed when it fires.
  private func isFull(_ listed: ListedSubscriptions.Listed) -> Bool {
    !listed.subscription.firesOnce
      && counts[listed.user, default: 0] >= ServerLimits.notificationsOfChange
  }

  private func concerns(_ subscription: Subscription) -> Bool {
    if case .zone(let zone) = subscription.kind { return zone == notice.zone }
    return true
  }

  private func fires(_ listed: ListedSubscriptions.Listed, on event: RecordEvent) -> Bool {
    guard case .query(_, let zone) = listed.subscription.kind, let filters = listed.filters,
      listed.subscription.firesOn.contains(event.event)
    else {
      return false
    }
    // The public database has one zone, whatever its owner is called in an identifier.
    let isHere = zone == nil || notice.scope == .public || zone == notice.zone
    // A deleted record whose fields are unknown may have matched. A superfluous notification only
    // makes the client fetch.
    return isHere && (!event.isWhole || filters.pass(event.record))
  }

  /// The part of the zone that a user sees.
  private struct Visibility {
    var reader: ZoneReader?
    var seesChange: Bool

    func shows(_ record: StoredRecord) -> Bool { reader?.shows(record) ?? false }
  }

  private func visibility(
    of user: String, _ scope: DatabaseScope, _ known: inout [String: Visibility]
  ) throws -> Visibility {
    if let known = known[user] { return known }
    let call = Call(
      container: notice.container, realm: notice.realm, scope: scope, caller: .user(user))
    var visibility = Visibility(reader: nil, seesChange: false)
    do {
      let reader = try ZoneReader(notice.zone, call, server, transaction)
      visibility.reader = reader
      visibility.seesChange =
        reader.access.seesAll || notice.removedParticipants.contains(user)
        || notice.keyReaders.contains(user)
        || notice.events.contains { shows($0.record, reader) }
    } catch let error as CloudError where error.code == .zoneNotFound {
      // Participants who lost access because a share ended or removed them are notified of that.
      let isParticipant = notice.events.contains {
        $0.event == .delete && $0.record.share?.userRecordNames.contains(user) == true
      }
      // The owner is notified of a deleted zone too.
      visibility.seesChange =
        user == notice.zone.ownerName || isParticipant || notice.removedParticipants.contains(user)
    }
    known[user] = visibility
    return visibility
  }

  /// Whether a user sees a record, or saw it before this change.
  private func shows(_ record: StoredRecord, _ reader: ZoneReader) -> Bool {
    if reader.shows(record) { return true }
    let showing = reader.access.showingShareNames
    return notice.endedShares(of: record).contains(where: showing.contains)
  }

  // MARK: Content

  /// The zone's identifier for a user.
  ///
  /// Every user is the owner of the public zone.
  private func zone(for user: String) -> RecordZoneIdentifier {
    guard notice.scope == .public else { return notice.zone }
    return RecordZoneIdentifier(zoneName: notice.zone.zoneName, ownerName: user)
  }

  private func content(_ event: RecordEvent, _ listed: ListedSubscriptions.Listed)
    -> PushNotification.Content
  {
    let wanted = Set(listed.subscription.notification?.additionalFields ?? [])
    let fields = event.record.fields.entries.filter {
      wanted.contains($0.name) && !$0.field.isEncrypted
    }
    return .query(
      RecordIdentifier(recordName: event.record.recordName, zone: zone(for: listed.user)),
      event: event.event,
      fields: RecordFields(sorted: fields))
  }

  private func addDelivery(
    _ listed: ListedSubscriptions.Listed, _ store: SubscriptionStore,
    _ content: PushNotification.Content,
    _ record: StoredRecord? = nil
  ) throws {
    let devices = DeviceStore(realm: notice.realm, user: listed.user)
    var tokens = try index.devices(
      devices, version: version, at: server.dependencies.now(), in: transaction)
    tokens.removeAll { $0 == notice.deviceToken }
    var notification = PushNotification(
      identifier: UUIDText.text(server.dependencies.makeName()),
      container: notice.container.container,
      userRecordName: listed.user, scope: store.scope, subscription: listed.subscription,
      content: content)
    notification.show(record)
    guard !tokens.isEmpty else { return }
    let count = counts[listed.user, default: 0] + 1
    counts[listed.user] = count
    // The last notification represents those that are left out.
    if count == ServerLimits.notificationsOfChange { notification.isPruned = true }
    match.deliveries.append(PushDelivery(notification: notification, tokens: tokens))
    if listed.subscription.firesOnce {
      match.spent.append(
        PushMatch.FiredSubscription(
          store: store, user: listed.user, identifier: listed.subscription.identifier))
    }
  }
}

extension ShareDetails {
  /// The participants, including invited ones.
  fileprivate var userRecordNames: Set<String> {
    Set(participants.compactMap(\.identity.userRecordName))
  }
}

extension PushNotification {
  /// Replaces field names by the record's values, and shortens a notification that is too long.
  fileprivate mutating func show(_ record: StoredRecord?) {
    func shown(_ name: String) -> String {
      guard let field = record?.fields[name], !field.isEncrypted else { return "" }
      return field.value.alertText
    }
    if var info {
      for text in NotificationInfo.texts {
        info[keyPath: text].arguments = info[keyPath: text].arguments.map(shown)
      }
      collapse = info.collapseField.map(shown).flatMap { $0.isEmpty ? nil : $0 }
      self.info = info
    }
    prune(to: ServerLimits.notificationBytes)
  }
}

extension FieldValue {
  /// The value as text for an alert.
  fileprivate var alertText: String {
    switch self {
    case .string(let text): text
    case .int64(let number): String(number)
    case .double(let number): "\(number)"
    default: ""
    }
  }
}
