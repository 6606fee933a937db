import Synchronization

/// Maps temporary keys to the permanent keys that a parent gave to its objects, for child contexts
/// that know only the temporary ones.
///
/// Recording begins with the first child context, and never ends.
final class KeyAliases: Sendable {
  struct Alias {
    let temporary: Int64
    let rootIndex: Int
    let key: Int64
    let storeNumber: UInt16
  }

  private struct State {
    var isKept = false
    var aliases: [Alias] = []
    var places: [Int64: Int] = [:]
  }

  private let state = Mutex(State())

  /// Whether a child context may ask for aliases.
  var isKept: Bool {
    get { state.withLock { $0.isKept } }
    set { state.withLock { $0.isKept = newValue } }
  }

  func add(_ alias: Alias) {
    state.withLock {
      guard $0.isKept else { return }
      $0.places[alias.temporary] = $0.aliases.count
      $0.aliases.append(alias)
    }
  }

  subscript(temporary: Int64) -> Alias? {
    state.withLock { state in state.places[temporary].map { state.aliases[$0] } }
  }

  /// The number of aliases.
  var count: Int { state.withLock { $0.aliases.count } }

  /// The aliases that were added after the first `count`.
  func added(after count: Int) -> ArraySlice<Alias> {
    state.withLock { $0.aliases.dropFirst(count) }
  }
}

extension NSManagedObjectContext {
  /// Gives objects the permanent keys that the parent gave to its own objects.
  func adoptAliases() {
    guard let parent = storedParent else { return }
    if parent.storedParent != nil { parent.performAndWait { parent.adoptAliases() } }
    guard parent.aliases.count > seenAliases else { return }
    moment += 1
    for alias in parent.aliases.added(after: seenAliases) {
      seenAliases += 1
      aliases.add(alias)
      guard
        let object = registry.object(
          alias.temporary, rootIndex: alias.rootIndex, storeNumber: NSManagedObject.noStore)
      else { continue }
      rename(object, key: alias.key, storeNumber: alias.storeNumber)
    }
  }

  /// Adopts the parent's keys, then calls a closure that reads from the parent or saves into it.
  ///
  /// Meanwhile, the parent and the contexts above it cannot save. Exceptions are a main-queue
  /// context above the parent, and the contexts above that one. Without a parent, this method only
  /// calls the closure.
  @inline(__always)
  func inStepWithParent<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let storedParent else { return try body() }
    return try holdingParents {
      adoptAliases()
      return try storedParent.performAndWait(body)
    }
  }

  /// Calls a closure while it holds the queues of the parent and of the contexts above it.
  ///
  /// It stops below a main-queue context above the parent, unless the caller is on the main queue.
  private func holdingParents<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let storedParent else { return try body() }
    return try storedParent.queue.performAndWait {
      // A block of the main queue runs on another thread, which could not enter the queues that
      // are held here.
      if let next = storedParent.storedParent?.queue, next.blockQueue.isBound, !next.isCurrent {
        return try body()
      }
      return try storedParent.holdingParents(body)
    }
  }

  /// The permanent key of the object that had a temporary key; nil if it has none yet.
  ///
  /// Afterwards, the context's own object has this key too.
  func alias(of key: Int64) -> KeyAliases.Alias? {
    guard key < 0, let alias = recordedAlias(of: key) else { return nil }
    // The parent may have recorded it just now.
    adoptAliases()
    return alias
  }

  private func recordedAlias(of key: Int64) -> KeyAliases.Alias? {
    aliases[key] ?? storedParent?.recordedAlias(of: key)
  }

  /// The present keys of a batch's rows, which may have changed since the batch was made.
  func presentKeys(_ keys: [Int64], in storeNumber: UInt16) -> [Int64] {
    guard let first = keys.first, first < 0, storeNumber != NSManagedObject.noStore else {
      return keys
    }
    return keys.compactMap { key in
      alias(of: key).flatMap { $0.storeNumber == storeNumber ? $0.key : nil }
    }
  }

  /// Changes an object's key.
  func rename(_ object: NSManagedObject, key: Int64, storeNumber: UInt16) {
    registry.remove(object)
    object.key = key
    object.storeNumber = storeNumber
    registry.register(object)
  }
}
