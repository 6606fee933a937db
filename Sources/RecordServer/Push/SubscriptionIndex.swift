import CloudRecords
import CloudSchema
import RecordStorage
import Synchronization

/// The subscriptions to a database with their users, prepared for matching under one schema.
struct ListedSubscriptions: Sendable {
  struct Listed: Sendable {
    var user: String
    var subscription: Subscription
    /// The filters of a query subscription; nil if the schema does not allow its query.
    var filters: RecordFilters?
  }

  /// Query subscriptions by their record types.
  var queries: [String: [Listed]] = [:]
  var others: [Listed] = []
  private let schemaVersion: SchemaVersion

  /// Prepares subscriptions.
  ///
  /// A query whose record type was removed matches nothing until the schema has the type again.
  init(_ all: [(user: String, subscription: Subscription)], _ schema: SchemaCopy) {
    schemaVersion = schema.storedVersion
    for (user, subscription) in all {
      guard case .query(let query, _) = subscription.kind else {
        others.append(Listed(user: user, subscription: subscription))
        continue
      }
      let type = schema.schema[type: query.recordType]
      let filters: [RecordFilter]? = type.flatMap { try? query.filters(of: $0) }
      let listed = Listed(
        user: user, subscription: subscription, filters: filters.map { RecordFilters($0) })
      queries[query.recordType, default: []].append(listed)
    }
  }

  var isEmpty: Bool { queries.isEmpty && others.isEmpty }

  /// Whether the subscriptions are prepared for a schema.
  func areValid(under schema: SchemaCopy) -> Bool {
    isEmpty || schemaVersion == schema.storedVersion
  }
}

/// A cache of subscriptions and devices, filled when a change first concerns an owner.
///
/// Changes of subscriptions and devices invalidate it. Changes of the schema invalidate its
/// subscriptions.
final class SubscriptionIndex: Sendable {
  private struct State {
    var version: UInt64 = 0
    var subscriptions: [SubscriptionStore: ListedSubscriptions] = [:]
    var devices: [DeviceStore: Known] = [:]
  }

  /// The tokens of a user's devices.
  private struct Known {
    var tokens: [String]
    var read: Timestamp
  }

  private let state = Mutex(State())
  /// The maximum number of cached owners.
  private static let mostOwners = 20_000

  /// The number of invalidations.
  ///
  /// A value that was read before an invalidation is not cached after it.
  var version: UInt64 { state.withLock(\.version) }

  func forget(_ change: ListeningChange) {
    state.withLock { state in
      state.version += 1
      switch change {
      case .subscriptions(let realm, let scope, let user):
        state.subscriptions[SubscriptionStore(realm: realm, scope: scope, user: user)] = nil
      case .ended(let ended):
        state.subscriptions[
          SubscriptionStore(realm: ended.realm, scope: ended.scope, user: ended.user)] = nil
      case .devices(let realm, let user, _):
        state.devices[DeviceStore(realm: realm, user: user)] = nil
      }
    }
  }

  /// Whether the cache alone shows that no subscription can match a change.
  ///
  /// This is the usual case: most zones have no other participants, and most owners' subscriptions
  /// are cached.
  func hasNoListener(for notice: ZoneNotice) -> Bool {
    guard !notice.concernsParticipants else { return false }
    let store = SubscriptionStore(
      realm: notice.realm, scope: notice.scope, user: notice.zone.ownerName)
    return state.withLock { $0.subscriptions[store]?.isEmpty ?? false }
  }

  func subscriptions(
    _ store: SubscriptionStore, schema: SchemaCopy, version: UInt64,
    in transaction: any StorageReading
  ) throws -> ListedSubscriptions {
    let known = state.withLock { $0.subscriptions[store] }
    if let known, known.areValid(under: schema) { return known }
    let listed = ListedSubscriptions(try store.ofAllUsers(in: transaction), schema)
    state.withLock { state in
      guard state.version == version else { return }
      if state.subscriptions.count >= Self.mostOwners { state.subscriptions = [:] }
      state.subscriptions[store] = listed
    }
    return listed
  }

  /// The tokens of a user's devices, which may be slightly outdated if another process changed
  /// them.
  func devices(
    _ store: DeviceStore, version: UInt64, at now: Timestamp, in transaction: any StorageReading
  ) throws -> [String] {
    let known = state.withLock { $0.devices[store] }
    if let known, now < known.read.adding(seconds: ServerLimits.rememberedDeviceSeconds) {
      return known.tokens
    }
    let tokens = try store.all(in: transaction).map(\.token)
    state.withLock { state in
      guard state.version == version else { return }
      if state.devices.count >= Self.mostOwners { state.devices = [:] }
      state.devices[store] = Known(tokens: tokens, read: now)
    }
    return tokens
  }
}
