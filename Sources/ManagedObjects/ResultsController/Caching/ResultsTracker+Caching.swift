import Foundation
import ObjectRows

/// The cache of a tracker, and the known state of its file.
struct CacheState {
  /// The configuration at the last fetch that used the cache.
  var configuration: ResultsConfiguration?
  /// The state of the stores to which the sections belong.
  var stores: [StoreFileState]?
  /// Whether the context's current save is the first change of the stores since `stores`.
  var isExclusive = false
}

/// Keeping sections in a file.
extension ResultsTracker {
  /// The sections of fetched objects, from the cache if it is valid.
  func cachedSections(
    of objects: [NSObject], _ cache: ResultsCache?, _ states: [StoreFileState]?
  ) throws -> SectionTable {
    guard let cache else { return try sections(of: objects) }
    caching = CacheState(configuration: cache.configuration)
    // If the stores changed during the fetch, it is unknown which state was fetched.
    guard let states, states == cache.storeStates() else { return try sections(of: objects) }
    caching.stores = states
    if let known = cache.sections(count: objects.count, states) { return known }
    let sections = try sections(of: objects)
    cache.write(sections, states)
    return sections
  }

  /// Stops the program if the request was changed without the deletion of its cache.
  func requireSameConfiguration(_ cache: ResultsCache?) {
    guard let cache, let former = caching.configuration, former != cache.configuration else {
      return
    }
    precondition(
      cache.storedConfiguration != former,
      """
      The fetch request of a fetched results controller with the cache \(cacheName ?? "") was \
      changed. Call deleteCache(withName:) before you change the request, its predicate or its \
      sort descriptors, or use no cache.
      """
    )
  }

  func contextWillSave() {
    guard let stores = caching.stores, let cache = presentCache() else { return }
    caching.isExclusive = cache.storeStates() == stores
  }

  func contextDidSave() {
    guard caching.isExclusive, isTracking, let list, let cache = presentCache() else { return }
    caching.isExclusive = false
    caching.stores = cache.storeStates()
    if let stores = caching.stores { cache.write(list.sections, stores) }
  }

  /// The cache of the current results, also while the context has changes.
  private func presentCache() -> ResultsCache? {
    guard let fetched, isTracking, !isReset else { return nil }
    return ResultsCache(
      cacheName, fetched, sectionNameKeyPath: sectionNameKeyPath, allowsChanges: true)
  }
}
