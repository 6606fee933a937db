import CloudRecords
import Synchronization

/// A cache of credentials that were recently read from the storage.
///
/// Both the number and the age of entries are bounded. A value that was read during a revocation is
/// not cached, because it may be outdated.
final class CredentialCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Known {
    var value: Value
    var read: Timestamp
  }

  private struct State {
    /// The latest values, which replace `older` when they fill half of the capacity.
    var newer: [Key: Known] = [:]
    var older: [Key: Known] = [:]
    /// Keys that the storage did not have, with the time of that read.
    var unknown: [Key: Timestamp] = [:]
    /// Counts revocations.
    var epoch = 0
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let seconds: Int64

  init(_ settings: AccountSettings) {
    capacity = max(2, settings.rememberedCredentials)
    seconds = settings.rememberedSeconds
  }

  var count: Int { state.withLock { $0.newer.count + $0.older.count } }

  /// Whether the key is cached, so that a lookup does not read the storage.
  func isRemembered(_ key: Key, at now: Timestamp) -> Bool {
    let known = state.withLock { $0.newer[key] ?? $0.older[key] }
    return known.map { now < $0.read.adding(seconds: seconds) } ?? false
  }

  /// The cached value of a key, or the result of `read`, which is then cached.
  ///
  /// The absence of a value is cached too, but only for a second.
  func value(
    for key: Key, at now: Timestamp, _ read: () async throws(CloudError) -> Value?
  ) async throws(CloudError) -> Value? {
    let (known, missed, epoch) = state.withLock {
      (($0.newer[key] ?? $0.older[key]), $0.unknown[key], $0.epoch)
    }
    if let known, now < known.read.adding(seconds: seconds) { return known.value }
    if let missed, now < missed.adding(seconds: ServerLimits.rememberedUnknownSeconds) {
      return nil
    }
    let value = try await read()
    remember(value, for: key, at: now, epoch: epoch)
    return value
  }

  private func remember(_ value: Value?, for key: Key, at now: Timestamp, epoch: Int) {
    state.withLock { state in
      guard state.epoch == epoch else { return }
      guard let value else {
        if state.unknown.count >= capacity / 2 { state.unknown = [:] }
        state.unknown[key] = now
        return
      }
      state.unknown[key] = nil
      if state.newer.count >= capacity / 2 {
        state.older = state.newer
        state.newer = [:]
      }
      state.newer[key] = Known(value: value, read: now)
    }
  }

  /// Removes keys whose values have changed in the storage.
  func forget(_ keys: [Key]) {
    state.withLock { state in
      state.epoch += 1
      for key in keys {
        state.newer[key] = nil
        state.older[key] = nil
        state.unknown[key] = nil
      }
    }
  }

  /// Removes everything after a revocation.
  func forgetAll() {
    state.withLock { $0 = State(epoch: $0.epoch + 1) }
  }
}
