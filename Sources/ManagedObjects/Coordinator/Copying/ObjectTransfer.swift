import Foundation
import ManagedObjectModel
import ObjectRows

/// Copies or moves the objects of one open store into another.
struct ObjectTransfer {
  let source: NSPersistentStore
  let destination: NSPersistentStore
  let coordinator: NSPersistentStoreCoordinator
  let options: NSPersistentStoreCoordinator.CopyOptions
  let progress: CopyProgress
  /// Whether the objects are deleted from the source when all are copied.
  let isMove: Bool

  func run() throws -> NSPersistentStoreCoordinator.CopyResult {
    try throwingPublicErrors {
      guard let from = source.open, let to = destination.open,
        coordinator.openStores.contains(where: { $0 === to })
      else {
        throw CopyError.foreign(
          source,
          "both stores must be open, and the destination must belong to this coordinator.")
      }
      guard from.identity.uuid != to.identity.uuid else {
        throw CopyError.foreign(source, "it is the destination itself.")
      }
      guard from.rowStore.layouts === coordinator.layouts else {
        throw CopyError.foreign(
          source, "its coordinator has another model. Open both stores with one model object.")
      }
      try to.requireWritable()
      if isMove { try from.requireWritable() }
      let context = coordinator.makeContext()
      context.performAndWait {
        context.transactionAuthor = options.transactionAuthor
        context.mergePolicy = NSMergePolicy(merge: options.mergePolicy)
      }
      if from.contextual == nil, to.contextual == nil { return try copyRows(from, to, context) }
      return try copyObjects(from, context)
    }
  }

  // MARK: Rows

  private func copyRows(_ from: OpenStore, _ to: OpenStore, _ context: NSManagedObjectContext)
    throws -> NSPersistentStoreCoordinator.CopyResult
  {
    defer { NotificationCenter.default.post(name: OpenStore.batchExecuted, object: context) }
    let unfinished = UnfinishedCopies(in: to, type: destination.type)
    if isMove { try progress.checkCancellation() }
    let unmoved = try isMove ? finishMove(from, to, context, unfinished) : []
    let result = try from.withSnapshot { rows in
      try copySnapshot(rows, from, to, context, unfinished, without: unmoved)
    }
    progress.end()
    return result
  }

  private func makeCopy(
    _ rows: any RowStore, _ from: OpenStore, _ to: OpenStore, _ context: NSManagedObjectContext
  ) -> StoreCopy {
    let transaction = TransactionDescription(of: context, dependencies: coordinator.dependencies)
    return StoreCopy(
      from: rows, to: to,
      copied: coordinator.layouts.layouts.filter { from.keeps($0) && to.keeps($0) },
      layouts: coordinator.layouts,
      settings: StoreCopy.Settings(
        transaction: transaction, batchSize: max(1, options.batchSize),
        uniqueness: UniquenessRule(context.mergePolicy)), progress: progress)
  }

  private func copySnapshot(
    _ rows: any RowStore, _ from: OpenStore, _ to: OpenStore, _ context: NSManagedObjectContext,
    _ unfinished: UnfinishedCopies, without unmoved: [RowKey]
  ) throws -> NSPersistentStoreCoordinator.CopyResult {
    let uuid = from.identity.uuid
    if isMove { try requireAllKept(rows, from, to) }
    let copy = makeCopy(rows, from, to, context)
    var record = try unfinished.record(ofSource: uuid) ?? UnfinishedCopies.Record()
    try copy.prepare(record.segments, without: Set(unmoved))
    progress.begin(copy.stepCount + (isMove ? copy.rowCount : 0))
    try copy.findDuplicates()
    record.segments = copy.segments
    try unfinished.set(record, ofSource: uuid)
    try copy.run()
    var changed = unmoved
    if isMove {
      // The deletion cannot be cancelled.
      try progress.checkCancellation()
      record.isCopied = true
      try unfinished.set(record, ofSource: uuid)
      changed += try copy.deleteOrigins(in: from)
    }
    try unfinished.set(nil, ofSource: uuid)
    return NSPersistentStoreCoordinator.CopyResult(
      insertedCount: copy.insertedCount, mergedCount: copy.keys.duplicateCount,
      unmovedObjectIDs: changed.map {
        NSManagedObjectID(
          layout: coordinator.layouts[$0.layoutIndex], key: $0.key, storeIdentity: from.identity)
      },
      copies: .keys(copy.keys.withoutOrigins, from.identity, to.identity, coordinator.layouts))
  }

  /// Deletes the objects of a move that was interrupted after it had copied all of them.
  ///
  /// - Returns: The objects that stay because another writer has changed them.
  private func finishMove(
    _ from: OpenStore, _ to: OpenStore, _ context: NSManagedObjectContext,
    _ unfinished: UnfinishedCopies
  ) throws -> [RowKey] {
    guard let record = try unfinished.record(ofSource: from.identity.uuid), record.isCopied else {
      return []
    }
    let unmoved = try from.withSnapshot { rows -> [RowKey] in
      let copy = makeCopy(rows, from, to, context)
      try copy.prepareDeletion(record.segments)
      return try copy.deleteOrigins(in: from)
    }
    try unfinished.set(nil, ofSource: from.identity.uuid)
    return unmoved
  }

  /// Fails if the source has objects of entities that the destination does not persist.
  ///
  /// These objects would stay in the source, and lose their relationships to moved objects.
  private func requireAllKept(_ rows: any RowStore, _ from: OpenStore, _ to: OpenStore) throws {
    for layout in coordinator.layouts.layouts where from.keeps(layout) && !to.keeps(layout) {
      var specification = FetchSpecification()
      specification.entity = .strong(layout.entity)
      specification.includesSubentities = false
      specification.fetchLimit = 1
      let fetch = RowFetch(layout: layout, specification: specification)
      guard try rows.fetchKeys(fetch).isEmpty else { throw CopyError.notKept(layout) }
    }
  }

  // MARK: Objects

  /// Copies all objects in one save, if either store is an XML, binary or custom store.
  private func copyObjects(_ from: OpenStore, _ context: NSManagedObjectContext) throws
    -> NSPersistentStoreCoordinator.CopyResult
  {
    guard coordinator.openStores.contains(where: { $0 === from }) else {
      throw CopyError.foreign(
        source, "a store of this type must belong to the coordinator of the destination.")
    }
    try progress.checkCancellation()
    progress.begin(1)
    let copy = ObjectCopy(from: source, to: destination, in: coordinator)
    var pairs: [NSManagedObjectID: NSManagedObjectID] = [:]
    var merged = 0
    try context.performAndWait {
      if isMove, let layout = try copy.unkeptLayout(in: context) { throw CopyError.notKept(layout) }
      for pair in try copy.run(in: context, deletingFormer: isMove) {
        if pair.copy.managedObjectContext == nil || pair.copy.objectID.isTemporaryID {
          merged += 1
        } else {
          pairs[pair.former.objectID] = pair.copy.objectID
        }
      }
    }
    progress.end()
    return NSPersistentStoreCoordinator.CopyResult(
      insertedCount: pairs.count, mergedCount: merged, unmovedObjectIDs: [],
      copies: .pairs(pairs))
  }
}
