import ManagedObjectModel
import ObjectRows

/// Rejects relationships between stores, before a save assigns any permanent key.
struct StoreBoundaries {
  let context: NSManagedObjectContext
  let plans: SavePlans

  func check(_ batches: [StoreBatch]) throws {
    for batch in batches {
      for object in batch.inserted { try check(object, in: batch.open) }
      for object in batch.updated { try check(object, in: batch.open) }
    }
  }

  private func check(_ object: NSManagedObject, in open: OpenStore) throws {
    guard let state = object.state else { return }
    let plan = plans.plan(of: object.layout)
    for ordinal in plan.toOne {
      guard let destination = state.destinations[ordinal] else { continue }
      try check([destination], in: open, object, ordinal)
    }
    for membership in plan.memberships {
      guard let members = state.members[membership.ordinal], members.isChanged else { continue }
      try check(members.difference.added, in: open, object, membership.ordinal)
    }
  }

  private func check(
    _ related: [NSManagedObject], in open: OpenStore, _ object: NSManagedObject, _ ordinal: Int
  ) throws {
    guard related.contains(where: { context.storeNumberForSaving($0) != open.number }) else {
      return
    }
    throw SaveError.otherStore(object.layout.properties[ordinal], of: object)
  }
}
