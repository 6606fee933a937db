import ManagedObjectModel
import ObjectRows
internal import Synchronization

/// The read plans of a store, each made when it is first needed.
final class ReadPlans: Sendable {
  private let schema: StoreSchema
  private let plans: Mutex<[Pair]>

  private struct Pair {
    var withSubentities: ReadPlan?
    var alone: ReadPlan?
  }

  init(_ schema: StoreSchema) {
    self.schema = schema
    plans = Mutex(Array(repeating: Pair(), count: schema.layouts.layouts.count))
  }

  /// The plan for an entity.
  ///
  /// Throws if the store does not keep the entity.
  func plan(for layout: RowLayout, includingSubentities: Bool = true) throws(StoreError) -> ReadPlan
  {
    let known = plans.withLock { plans in
      includingSubentities ? plans[layout.index].withSubentities : plans[layout.index].alone
    }
    if let known { return known }
    return try remember(
      try make(layout, includingSubentities), at: layout.index, includingSubentities)
  }

  private func remember(_ plan: ReadPlan, at index: Int, _ includingSubentities: Bool)
    throws(StoreError) -> ReadPlan
  {
    plans.withLock { plans in
      if includingSubentities {
        plans[index].withSubentities = plan
      } else {
        plans[index].alone = plan
      }
    }
    return plan
  }

  private func make(_ layout: RowLayout, _ includingSubentities: Bool) throws(StoreError)
    -> ReadPlan
  {
    let entity = try schema.requireEntity(layout)
    let entities =
      includingSubentities ? entity.subtreeNumbers.compactMap(schema.entity(number:)) : [entity]
    return ReadPlan(entity, entities: entities, layouts: schema.layouts)
  }
}

extension StoreSchema {
  /// Returns the schema of an entity's rows.
  ///
  /// - Throws: An error if the entity is not in the store's configuration.
  func requireEntity(_ layout: RowLayout) throws(StoreError) -> EntitySchema {
    if let entity = entity(layout) { return entity }
    let name = layout.entity.name ?? "without a name"
    throw StoreError(
      .incompatibleSchema,
      "The store does not keep the entity \(name): it is not in the configuration \(configuration ?? "of all entities").",
      context: ["entity": name])
  }
}
