import ManagedObjectModel

/// The window of a plan whose stores cannot apply it.
extension FetchWindow {
  /// Takes the window out of a plan, if the stores cannot apply it.
  ///
  /// The store returns one more result for each saved object that unsaved changes may remove or
  /// move, and the window is applied afterwards.
  ///
  /// - Parameter savedCount: The number of saved objects with unsaved changes; nil if no unsaved
  ///   change affects the results.
  init(_ plan: inout FetchPlan, allowingFor savedCount: Int?) {
    self.init(plan.specification)
    guard limit > 0 || offset > 0, savedCount != nil || plan.stores.count > 1 else {
      (offset, limit) = (0, 0)
      return
    }
    plan.specification.fetchOffset = 0
    // A program may pass the greatest integer for no limit.
    let bound = Int.max / 4
    plan.specification.fetchLimit =
      limit > 0 ? min(offset, bound) + min(limit, bound) + (savedCount ?? 0) : 0
  }

  /// Takes the window out of a plan, so that the store returns all results.
  init(_ plan: inout FetchPlan, isUnbounded: Bool) {
    self.init(plan.specification)
    plan.specification.fetchOffset = 0
    plan.specification.fetchLimit = 0
  }
}
