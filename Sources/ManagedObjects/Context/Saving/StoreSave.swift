import Foundation
import ManagedObjectModel
import ObjectRows

/// A save into the stores of a coordinator.
///
/// ```
/// route ▶ keys ▶ rows ▶ store ──saved──▶ clean objects, new pages ▶ hooks ▶ notifications
///   ▲                     └──conflicts──▶ merge policy ─┐
///   └───────────────────────────────────────────────────┘
/// ```
///
/// Each store is saved in a separate transaction. With several stores, all but the first are
/// checked before any is saved, so that read-only stores and conflicts leave nothing saved. If a
/// later store still fails, for example because its disk is full, the earlier ones stay saved.
struct StoreSave {
  let context: NSManagedObjectContext
  let coordinator: NSPersistentStoreCoordinator
  let plans: SavePlans

  /// - Precondition: The context has a coordinator.
  init(_ context: NSManagedObjectContext) {
    guard let coordinator = context.storedCoordinator else {
      preconditionFailure("A save needs a coordinator. Set persistentStoreCoordinator first.")
    }
    self.context = context
    self.coordinator = coordinator
    plans = SavePlans(layouts: coordinator.layouts)
  }

  func run() throws {
    var saved = SavedObjects()
    var assigned = AssignedKeys(context)
    for observer in context.eventObservers.observers { observer.contextWillSave() }
    do {
      try saveStores(&saved, &assigned)
    } catch {
      assigned.revert()
      assigned.announce()
      if !saved.isEmpty { finish(saved) }
      throw error
    }
    // Observers of the save's notifications may write to the stores.
    for observer in context.eventObservers.observers { observer.contextDidSave() }
    assigned.announce()
    finish(saved)
    for observer in context.eventObservers.observers { observer.contextDidFinishSave() }
  }

  /// Completes the save of the stores that were saved.
  private func finish(_ saved: SavedObjects) {
    context.advanceGeneration()
    context.finishSave(saved)
    coordinator.announce(saved, by: context)
  }

  private func saveStores(_ saved: inout SavedObjects, _ assigned: inout AssignedKeys) throws {
    var attempts = 0
    while true {
      let batches = try StoreBatch.batches(of: context)
      if coordinator.openStores.count > 1 {
        try StoreBoundaries(context: context, plans: plans).check(batches)
      }
      for batch in batches { try reserveKeys(for: batch, &assigned) }
      guard let conflicts = try save(batches, &saved) else { return }
      attempts += 1
      guard attempts < Limits.conflictRounds else {
        throw SaveError.endlessConflicts(conflicts.conflicts.count)
      }
      try conflicts.resolve(in: context)
      context.endEvent()
    }
  }

  /// Saves the stores in turn, up to the first with conflicts.
  private func save(_ batches: [StoreBatch], _ saved: inout SavedObjects) throws -> SaveConflicts? {
    let prepared = try batches.map { (batch: $0, changes: try storeChanges(of: $0)) }
    // The first store is saved first, so its own save is a sufficient check.
    for (batch, changes) in prepared.dropFirst() where !changes.isEmpty {
      let conflicts = try batch.open.conflicts(of: changes, for: context)
      if !conflicts.isEmpty { return SaveConflicts(conflicts: conflicts, open: batch.open) }
    }
    for (batch, changes) in prepared {
      guard !changes.isEmpty else {
        batch.becomeClean(in: context, &saved)
        continue
      }
      let locked = context.lockedRows(in: batch.open)
      switch try batch.open.save(changes, for: context) {
      case .saved(let receipt):
        batch.becomeClean(receipt, plans, in: context, &saved)
        batch.takeOverVersions(of: locked, receipt, plans)
      case .conflicts(let conflicts): return SaveConflicts(conflicts: conflicts, open: batch.open)
      }
    }
    return nil
  }

  // MARK: Keys

  /// Gives the new objects of a batch their keys, with one call to its store.
  private func reserveKeys(for batch: StoreBatch, _ assigned: inout AssignedKeys) throws {
    let areNew = batch.inserted.allHeldSatisfy { $0.key < 0 }
    let new = areNew ? batch.inserted : batch.inserted.filter { $0.key < 0 }
    guard !new.isEmpty else { return }
    try assigned.assign(to: new, in: batch.open)
  }

  // MARK: Changes

  private func storeChanges(of batch: StoreBatch) throws -> StoreChanges {
    var changes = StoreChanges(
      transaction: TransactionDescription(of: context, dependencies: coordinator.dependencies))
    changes.inserted.reserveCapacity(batch.inserted.count)
    try batch.inserted.forEachRun { layout, objects in
      try addInsertions(of: objects, layout, plans.plan(of: layout), to: &changes)
    }
    changes.updated.reserveCapacity(batch.updated.count)
    try batch.updated.forEachHeld { try addUpdate(of: $0, to: &changes) }
    changes.deleted.reserveCapacity(batch.deleted.count)
    batch.deleted.forEachHeld { object in
      changes.deleted.append(
        RowDeletion(layout: object.layout, key: object.key, expectedVersion: object.expectedVersion)
      )
    }
    try addLockedRows(of: batch, to: &changes)
    return changes
  }

  private func addInsertions(
    of objects: ArraySlice<NSManagedObject>, _ layout: RowLayout, _ plan: SavePlan,
    to changes: inout StoreChanges
  ) throws {
    try objects.forEachHeld { object in
      try RowPreparation(object: object, plan: plan, changed: nil).prepare()
      changes.inserted.append(
        RowChange(layout: layout, row: object.row, changed: OrdinalSet(), expectedVersion: nil))
      try addMemberships(of: object, plan, to: &changes)
    }
  }

  private func addUpdate(of object: NSManagedObject, to changes: inout StoreChanges) throws {
    let state = object.state
    let layout = object.layout
    let plan = plans.plan(of: layout)
    var changed = state.map { object.netChanges($0, among: plan.persistent) } ?? OrdinalSet()
    object.flags.set(.written, to: !changed.isEmpty)
    guard let state, !changed.isEmpty else { return }
    if object.flags.contains(.changedSilently) { changed.formUnion(object.silentChanges) }
    if state.ownsRow {
      try RowPreparation(object: object, plan: plan, changed: changed).prepare()
    }
    changes.updated.append(
      RowChange(
        layout: layout, row: object.row, changed: changed,
        expectedVersion: object.expectedVersion(state)))
    try addMemberships(of: object, plan, to: &changes)
  }

  /// Adds the rows of `detectConflicts(for:)`, which must be unchanged in the store.
  ///
  /// The context has no changes of them, but hooks may have set values, which are saved.
  private func addLockedRows(of batch: StoreBatch, to changes: inout StoreChanges) throws {
    for object in context.lockedRows(in: batch.open) {
      let changed = object.silentChanges
      if !changed.isEmpty {
        let plan = plans.plan(of: object.layout)
        try RowPreparation(object: object, plan: plan, changed: changed).prepare()
      }
      changes.updated.append(
        RowChange(
          layout: object.layout, row: object.row, changed: changed,
          expectedVersion: object.expectedVersion))
    }
  }

  private func addMemberships(
    of object: NSManagedObject, _ plan: SavePlan, to changes: inout StoreChanges
  ) throws {
    guard !plan.memberships.isEmpty, let state = object.state else { return }
    for membership in plan.memberships {
      guard let members = state.members[membership.ordinal], members.isChanged else { continue }
      if let change = try membership.change(of: members, object) {
        changes.memberships.append(change)
      }
    }
  }
}

extension NSManagedObject {
  /// The version that the stored row must have for the change to be written; nil for any version.
  final var expectedVersion: Int64? {
    if let state { return expectedVersion(state) }
    return hasRow && !flags.contains(.overwriting) ? row.version : nil
  }

  /// The expected version of an object with a private state.
  @inline(__always)
  final func expectedVersion(_ state: ObjectState) -> Int64? {
    flags.contains(.overwriting) ? nil : state.committed?.row.version
  }
}
