import CloudRecords
import CloudSchema
import RecordStorage
import Synchronization

/// The subscriptions to a database with their users, prepared for matching.
struct ListedSubscriptions: Sendable {
  struct Listed: Sendable {
    var user: String
    var subscription: Subscription
    /// The filters of a query subscription.
    var filters = RecordFilters()
  }

  /// Query subscriptions by their record types.
  var queries: [String: [Listed]] = [:]
  var others: [Listed] = []

  /// Prepares subscriptions.
  ///
  /// A query whose record type was removed never matches.
  init(_ all: [(user: String, subscription: Subscription)], _ schema: Schema) {
    for (user, subscription) in all {
      var listed = Listed(user: user, subscription: subscription)
      guard case .query(let query, _) = subscription.kind else {
        others.append(listed)
        continue
      }
      guard let type = schema[type: query.recordType], let filters = try? query.filters(of: type)
      else { continue }
      listed.filters = RecordFilters(filters)
      queries[query.recordType, default: []].append(listed)
    }
  }

  var isEmpty: Bool { queries.isEmpty && others.isEmpty }
}

/// A cache of subscriptions and devices, filled when a change first concerns an owner and
/// invalidated by changes.
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

  /// Counts invalidations.
  ///
  /// A value that was read before one is not cached after it.
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
    _ store: SubscriptionStore, schema: Schema, version: UInt64, in transaction: any StorageReading
  ) throws -> ListedSubscriptions {
    if let known = state.withLock({ $0.subscriptions[store] }) { return known }
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
