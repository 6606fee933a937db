public import Foundation
public import ObjectRows

extension NSPersistentStoreCoordinator {
  /// Copies all objects of a store into another store of this coordinator.
  ///
  /// Use it to seed a store:
  ///
  /// ```swift
  /// let seed = try seedCoordinator.addPersistentStore(
  ///   type: .sqlite, at: url, options: [NSReadOnlyPersistentStoreOption: true])
  /// let progress = Progress(totalUnitCount: 0)
  /// try coordinator.copyObjects(from: seed, to: store, progress: progress)
  /// ```
  ///
  /// The objects are written in batches, each in one save. Relationships are copied as they are.
  /// Values in external files are copied too. The destination computes derived attributes. No hooks
  /// are called, and values are not validated. Objects of entities outside the destination's
  /// configuration are left out, like relationships to them.
  ///
  /// If an object of the destination has the unique values of a copied object, the merge policy of
  /// the options decides. Relationships of copied objects then lead to the object of the
  /// destination, which the table calls the stored object.
  ///
  /// | policy | effect |
  /// |---|---|
  /// | error | nothing is copied: `NSManagedObjectConstraintMergeError` |
  /// | store trump, rollback | the stored object keeps its values |
  /// | object trump, overwrite | the stored object gets the values of the copied one |
  ///
  /// If the copy fails or is cancelled, or its process ends, the written batches stay. Their
  /// objects have all attributes, but some lack relationships. Call the method again with the same
  /// stores: it completes the copy, and copies no object twice. If an object of the source has
  /// changed since the first call, its copy is updated.
  ///
  /// Contexts do not notice the new objects. Fetch them, or enable remote change notifications. A
  /// mirrored destination exports the new objects.
  ///
  /// If either store is an XML, binary or custom store, all objects are loaded into memory, and are
  /// written in one save.
  ///
  /// - Parameters:
  ///   - source: The store to copy from. If both are SQLite or in-memory stores, it may belong to
  ///     another coordinator with the same model object.
  ///   - destination: The store to copy into.
  ///   - options: The size of the batches, the merge policy, and the author of the changes.
  ///   - progress: A progress that counts the steps, and can cancel the copy with
  ///     `CocoaError.userCancelled`.
  @discardableResult
  public func copyObjects(
    from source: NSPersistentStore, to destination: NSPersistentStore,
    options: CopyOptions = CopyOptions(), progress: Progress? = nil
  ) throws -> CopyResult {
    try transfer(source, destination, options, progress, isMove: false)
  }

  /// Moves all objects of a store into another store of this coordinator, for example from a
  /// fallback store.
  ///
  /// The objects are copied like `copyObjects(from:to:options:progress:)`, and deleted from the
  /// source when all are copied. A move fails if the copy would leave objects out. Until the
  /// deletion, the source is complete, and the move can be cancelled. If the move is interrupted,
  /// call the method again before you change objects of the source.
  ///
  /// Do not change objects of the source meanwhile. An object that changes stays in the source, and
  /// its copy has the former values: see ``CopyResult/unmovedObjectIDs``.
  @discardableResult
  public func moveObjects(
    from source: NSPersistentStore, to destination: NSPersistentStore,
    options: CopyOptions = CopyOptions(), progress: Progress? = nil
  ) throws -> CopyResult {
    try transfer(source, destination, options, progress, isMove: true)
  }

  /// Copies all objects of a store into another store of this coordinator, off the caller's thread.
  ///
  /// Cancelling the task cancels the copy. The effects are those of the synchronous method.
  @discardableResult
  public func copyObjects(
    from source: NSPersistentStore, to destination: NSPersistentStore,
    options: CopyOptions = CopyOptions(), progress: Progress? = nil
  ) async throws -> CopyResult {
    try await transferred(source, destination, options, progress, isMove: false)
  }

  /// Moves all objects of a store into another store of this coordinator, off the caller's thread.
  ///
  /// Cancelling the task cancels the move, unless all objects are already copied. The effects are
  /// those of the synchronous method.
  @discardableResult
  public func moveObjects(
    from source: NSPersistentStore, to destination: NSPersistentStore,
    options: CopyOptions = CopyOptions(), progress: Progress? = nil
  ) async throws -> CopyResult {
    try await transferred(source, destination, options, progress, isMove: true)
  }

  private func transfer(
    _ source: NSPersistentStore, _ destination: NSPersistentStore, _ options: CopyOptions,
    _ progress: Progress?, isMove: Bool
  ) throws -> CopyResult {
    let transfer = ObjectTransfer(
      source: source, destination: destination, coordinator: self, options: options,
      progress: CopyProgress(progress: progress), isMove: isMove)
    return try copying.performAndWait { try transfer.run() }
  }

  private func transferred(
    _ source: NSPersistentStore, _ destination: NSPersistentStore, _ options: CopyOptions,
    _ progress: Progress?, isMove: Bool
  ) async throws -> CopyResult {
    let progress = progress ?? Progress(totalUnitCount: 0)
    let transfer = ObjectTransfer(
      source: source, destination: destination, coordinator: self, options: options,
      progress: CopyProgress(progress: progress), isMove: isMove)
    return try await withTaskCancellationHandler {
      try await copying.perform(immediately: true) { try transfer.run() }
    } onCancel: {
      progress.cancel()
    }
  }
}

extension NSPersistentStoreCoordinator {
  /// The options of copying objects from store to store.
  public struct CopyOptions: Sendable {
    /// The number of objects in each save.
    public var batchSize: Int

    /// The policy for copied objects with the unique values of an object of the destination.
    public var mergePolicy: NSMergePolicyType

    /// The author of the changes in the persistent history.
    public var transactionAuthor: String?

    /// Creates options.
    public init(
      batchSize: Int = 500, mergePolicy: NSMergePolicyType = .errorMergePolicyType,
      transactionAuthor: String? = nil
    ) {
      self.batchSize = batchSize
      self.mergePolicy = mergePolicy
      self.transactionAuthor = transactionAuthor
    }
  }

  /// The result of copying objects from store to store.
  public struct CopyResult: Sendable {
    enum Copies {
      case keys(CopiedKeys, StoreIdentity, StoreIdentity, ModelLayouts)
      case pairs([NSManagedObjectID: NSManagedObjectID])
    }

    /// The number of new objects in the destination, without those of interrupted attempts.
    public let insertedCount: Int

    /// The number of copied objects with the unique values of an object of the destination.
    public let mergedCount: Int

    /// The objects that stay in the source of a move, because they were changed meanwhile.
    public let unmovedObjectIDs: [NSManagedObjectID]

    let copies: Copies

    /// The identifier of the object in the destination that stands for an object of the source.
    ///
    /// The result is nil for an object of another store.
    public func objectID(forCopyOf objectID: NSManagedObjectID) -> NSManagedObjectID? {
      switch copies {
      case .pairs(let pairs): return pairs[objectID]
      case .keys(let keys, let source, let destination, let layouts):
        guard !objectID.isTemporaryID, objectID.storeIdentity?.uuid == source.uuid,
          let layout = layouts[objectID.entity],
          let copy = keys.unchecked(
            RowKey(key: objectID.key, layoutIndex: Int32(layout.index)))
        else { return nil }
        return NSManagedObjectID(
          layout: layouts[copy.layoutIndex], key: copy.key, storeIdentity: destination)
      }
    }
  }
}
