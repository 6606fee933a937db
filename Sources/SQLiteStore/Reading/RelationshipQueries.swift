import ManagedObjectModel
import ObjectRows
internal import Synchronization

/// The statements for the relationships of a store, each made when it is first needed.
final class RelationshipQueries: Sendable {
  private let schema: StoreSchema
  private let plans: ReadPlans
  private let queries = Mutex<[Key: RelationshipQuery]>([:])

  private struct Key: Hashable {
    let layoutIndex: Int
    let ordinal: Int
    let includesRows: Bool
    let owners: RelationshipQuery.Owners
  }

  init(_ schema: StoreSchema, _ plans: ReadPlans) {
    self.schema = schema
    self.plans = plans
  }

  /// The statement for a relationship of an entity, with the owners given in one of the ways.
  func query(
    for relationship: NSRelationshipDescription, layout: RowLayout, includesRows: Bool,
    owners: RelationshipQuery.Owners
  ) throws(StoreError) -> RelationshipQuery {
    let owner = try schema.requireEntity(layout)
    guard let ordinal = layout.ordinal(of: relationship.name) else {
      throw StoreError(
        .incompatibleSchema, "The entity \(owner.name) has no relationship \(relationship.name).",
        context: ["entity": owner.name, "relationship": relationship.name])
    }
    let key = Key(
      layoutIndex: layout.index, ordinal: ordinal, includesRows: includesRows, owners: owners)
    if let known = queries.withLock({ $0[key] }) { return known }
    let destination = try schema.requireDestination(of: relationship)
    let query = try RelationshipQuery(
      relationship, ordinal: ordinal, of: owner, in: schema,
      plan: plans.plan(for: destination.layout),
      includesRows: includesRows, owners: owners)
    queries.withLock { $0[key] = query }
    return query
  }
}
