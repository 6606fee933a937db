import ManagedObjectModel

/// The offset and limit of a request, if the stores cannot apply them.
struct FetchWindow {
  private let offset: Int
  private let limit: Int

  /// Takes the window out of a plan.
  ///
  /// The store returns as many more results as unsaved changes may remove or insert, and the window
  /// is applied afterwards.
  ///
  /// - Parameter savedCount: The number of saved objects with unsaved changes; nil if no unsaved
  ///   change affects the results.
  init(_ plan: inout FetchPlan, allowingFor savedCount: Int?) {
    let (offset, limit) = (max(0, plan.specification.fetchOffset), plan.specification.fetchLimit)
    guard limit > 0 || offset > 0, savedCount != nil || plan.stores.count > 1 else {
      (self.offset, self.limit) = (0, 0)
      return
    }
    (self.offset, self.limit) = (offset, limit)
    plan.specification.fetchOffset = 0
    // A program may pass the greatest integer for no limit.
    let bound = Int.max / 4
    plan.specification.fetchLimit =
      limit > 0 ? min(offset, bound) + min(limit, bound) + (savedCount ?? 0) : 0
  }

  /// Takes the window out of a plan, so that the store returns all results.
  init(_ plan: inout FetchPlan, isUnbounded: Bool) {
    (offset, limit) = (max(0, plan.specification.fetchOffset), plan.specification.fetchLimit)
    plan.specification.fetchOffset = 0
    plan.specification.fetchLimit = 0
  }

  func cut<Element>(_ results: [Element]) -> [Element] {
    guard offset > 0 || limit > 0 else { return results }
    let rest = results.dropFirst(offset)
    return Array(limit > 0 ? rest.prefix(limit) : rest)
  }

  func cut(count: Int) -> Int {
    let rest = max(0, count - offset)
    return limit > 0 ? min(limit, rest) : rest
  }
}
