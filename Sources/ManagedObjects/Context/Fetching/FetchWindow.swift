import ManagedObjectModel

/// The offset and the limit of a request, where a store cannot apply them alone.
struct FetchWindow {
  private let offset: Int
  private let limit: Int

  /// Takes the window out of a plan: the store gives as many more results as may fall away or come
  /// in between, and the window is cut out of what is left.
  ///
  /// - Parameter savedCount: How many saved objects have changes that a store does not know; nil
  ///   where no unsaved change, of a new object either, concerns the results.
  init(_ plan: inout FetchPlan, allowingFor savedCount: Int?) {
    let (offset, limit) = (plan.specification.fetchOffset, plan.specification.fetchLimit)
    guard limit > 0 || offset > 0, savedCount != nil || plan.stores.count > 1 else {
      (self.offset, self.limit) = (0, 0)
      return
    }
    (self.offset, self.limit) = (offset, limit)
    plan.specification.fetchOffset = 0
    plan.specification.fetchLimit = limit > 0 ? offset + limit + (savedCount ?? 0) : 0
  }

  /// Takes the window out of a plan, so that the store gives all results.
  init(_ plan: inout FetchPlan, isUnbounded: Bool) {
    (offset, limit) = (plan.specification.fetchOffset, plan.specification.fetchLimit)
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
