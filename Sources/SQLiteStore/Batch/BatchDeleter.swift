import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// Deletes the rows that a fetch finds.
///
/// ```
/// find ▶ cascade, until nothing is added ▶ check Deny ▶ nullify ▶ record ▶ delete
/// ```
///
/// Each step is one SQL statement for each entity and relationship, whatever the number of rows.
final class BatchDeleter {
  private let batch: BatchDeletion
  private let transaction: BatchTransaction
  private var rules: [Int: DeleteRules] = [:]
  /// The keys of the deleted rows, by the number of their root entity.
  private var deleted: [Int: KeyTable] = [:]
  /// Whether a cascade has added rows.
  private var hasCascaded = false

  init(_ batch: BatchDeletion, _ transaction: BatchTransaction) {
    self.batch = batch
    self.transaction = transaction
  }

  private var connection: Connection { transaction.connection }
  private var schema: StoreSchema { transaction.store.schema }
  /// The tables of keys, in a fixed order.
  private var tables: [KeyTable] { deleted.sorted { $0.key < $1.key }.map(\.value) }

  func run() throws {
    let entity = try schema.requireEntity(batch.fetch.layout)
    try transaction.add(batch.fetch, to: keys(of: entity))
    guard connection.changes > 0 else { return }
    try cascade()
    let entities = try tables.flatMap { try transaction.entities(in: $0) }
    for entity in entities { try checkDenied(entity) }
    for entity in entities { try nullify(entity) }
    for entity in entities { try record(entity) }
    try reportKeys()
    try deleteRows(entities)
  }

  private func keys(of entity: EntitySchema) throws -> KeyTable {
    if let known = deleted[entity.rootNumber] { return known }
    let keys = try transaction.makeKeys(.deleted, of: entity)
    deleted[entity.rootNumber] = keys
    return keys
  }

  private func rules(of entity: EntitySchema) throws -> DeleteRules {
    if let known = rules[entity.number] { return known }
    let made = try DeleteRules(entity, in: schema)
    rules[entity.number] = made
    return made
  }

  // MARK: Rules

  /// Adds the destinations of relationships with the rule Cascade, round by round.
  private func cascade() throws {
    var round = 0
    var grown = tables
    while !grown.isEmpty {
      var added: [Int: KeyTable] = [:]
      for table in grown {
        for entity in try transaction.entities(in: table, round: round) {
          for step in try rules(of: entity).cascades {
            let keys = try keys(of: step.destination)
            let owners = table.select(of: entity, round: round)
            try connection.run(
              "INSERT OR IGNORE INTO \(keys.name)(key, entity, round) "
                + "SELECT d.Z_PK, d.Z_ENT, \(round + 1) FROM \(step.source(owners: owners))")
            guard connection.changes > 0 else { continue }
            added[keys.rootNumber] = keys
            hasCascaded = true
          }
        }
      }
      grown = added.sorted { $0.key < $1.key }.map(\.value)
      round += 1
    }
  }

  /// Fails if a relationship with the rule Deny has a destination that remains.
  private func checkDenied(_ entity: EntitySchema) throws {
    for step in try rules(of: entity).denials {
      let owners = try keys(of: entity).select(of: entity)
      let remaining = try connection.value(
        "SELECT 1 FROM \(step.source(owners: owners)) "
          + "AND d.Z_PK NOT IN \(keys(of: step.destination).select) LIMIT 1")
      guard remaining != nil else { continue }
      throw StoreError(
        .batchDenied,
        "Objects of \(entity.name) cannot be deleted: their relationship \(step.relationship.name) "
          + "has the delete rule Deny and still has destinations. Delete or move these first. "
          + "Nothing was deleted in this store.",
        context: ["entity": entity.name, "relationship": step.relationship.name])
    }
  }

  /// Clears the to-one relationships of remaining rows that refer to deleted ones.
  private func nullify(_ entity: EntitySchema) throws {
    for step in try rules(of: entity).nullifications {
      let cleared = try transaction.makeKeys(.cleared, of: step.entity)
      let owners = try keys(of: entity).select(of: entity)
      try connection.run(
        "INSERT INTO \(cleared.name)(key, entity) SELECT Z_PK, Z_ENT FROM \(step.entity.table) "
          + "WHERE \(step.column.name) IN \(owners) "
          + "AND Z_PK NOT IN \(keys(of: step.entity).select)")
      guard connection.changes > 0 else { continue }
      try checkOptional(step, deleted: entity)
      let columns = [step.column.name, step.column.entityColumn, step.column.orderColumn]
      let assignments = columns.compactMap { $0.map { "\($0) = NULL" } }.joined(separator: ", ")
      try connection.run(
        "UPDATE \(step.entity.table) SET \(assignments), Z_OPT = IFNULL(Z_OPT, 0) + 1 "
          + "WHERE Z_PK IN \(cleared.select)")
      try transaction.recordUpdate(OrdinalSet([step.ordinal]), of: cleared)
      transaction.receipt.stale += try transaction.keys(in: cleared)
    }
  }

  private func checkOptional(_ step: DeleteRules.Nullification, deleted: EntitySchema) throws {
    guard !step.relationship.isOptional else { return }
    throw StoreError(
      .batchRequired,
      "Objects of \(deleted.name) cannot be deleted: objects of \(step.entity.name) need them for "
        + "the relationship \(step.relationship.name), which is not optional. Delete those too, or "
        + "make it optional. Nothing was deleted in this store.",
      context: ["entity": step.entity.name, "relationship": step.relationship.name])
  }

  // MARK: Rows

  /// Records the deletions and the files of an entity's rows, which still exist.
  private func record(_ entity: EntitySchema) throws {
    let keys = try keys(of: entity)
    try transaction.releaseExternalValues(of: entity, among: entity.columns.indices, keys)
    try transaction.record { try $0.write(.deletion, keys, of: entity) }
  }

  private func reportKeys() throws {
    for table in tables {
      let keys = try transaction.keys(in: table, byRound: hasCascaded)
      transaction.receipt.stale += keys
      if batch.reportsKeys { transaction.receipt.keys += keys }
    }
  }

  private func deleteRows(_ entities: [EntitySchema]) throws {
    for entity in entities {
      let keys = try keys(of: entity)
      for (table, column) in entity.joinColumns(in: schema) {
        try connection.run("DELETE FROM \(table) WHERE \(column) IN \(keys.select(of: entity))")
      }
      for members in entity.ownerStatements(in: schema) {
        try connection.run(members.release(owners: keys.select(of: entity)))
      }
    }
    for (root, keys) in deleted.sorted(by: { $0.key < $1.key }) {
      guard let table = entities.first(where: { $0.rootNumber == root })?.table else { continue }
      try connection.run("DELETE FROM \(table) WHERE Z_PK IN \(keys.select)")
      transaction.receipt.count += connection.changes
    }
  }
}
