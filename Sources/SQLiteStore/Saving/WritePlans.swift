import ObjectRows
internal import Synchronization

/// The write plans of a store, each made when it is first needed.
final class WritePlans: Sendable {
  private let schema: StoreSchema
  private let plans = Mutex(Plans())

  private struct Plans {
    var inserts: [Int: InsertPlan] = [:]
    var deletes: [Int: DeletePlan] = [:]
    var updates: [UpdateKey: UpdatePlan] = [:]
  }

  private struct UpdateKey: Hashable {
    let layoutIndex: Int
    let changed: OrdinalSet
    let expectsVersion: Bool
  }

  init(_ schema: StoreSchema) { self.schema = schema }

  func insert(_ layout: RowLayout) throws(StoreError) -> InsertPlan {
    if let plan = plans.withLock({ $0.inserts[layout.index] }) { return plan }
    let plan = InsertPlan(try schema.requireEntity(layout))
    plans.withLock { $0.inserts[layout.index] = plan }
    return plan
  }

  func delete(_ layout: RowLayout) throws(StoreError) -> DeletePlan {
    if let plan = plans.withLock({ $0.deletes[layout.index] }) { return plan }
    let plan = DeletePlan(try schema.requireEntity(layout), in: schema)
    plans.withLock { $0.deletes[layout.index] = plan }
    return plan
  }

  func update(_ layout: RowLayout, changed: OrdinalSet, expectsVersion: Bool) throws(StoreError)
    -> UpdatePlan
  {
    let key = UpdateKey(layoutIndex: layout.index, changed: changed, expectsVersion: expectsVersion)
    if let plan = plans.withLock({ $0.updates[key] }) { return plan }
    let plan = UpdatePlan(
      try schema.requireEntity(layout), changed: changed, expectsVersion: expectsVersion)
    plans.withLock { plans in
      // Limits the memory of a program whose updates always change other sets of properties.
      if plans.updates.count >= Limits.updatePlans { plans.updates.removeAll() }
      plans.updates[key] = plan
    }
    return plan
  }
}
