public import Foundation
import ManagedObjectModel
import ObjectRows

extension NSPersistentStoreCoordinator {
  func copyStore(
    _ store: NSPersistentStore, to URL: URL, _ options: [AnyHashable: Any]?, _ storeType: String
  ) throws -> NSPersistentStore {
    try throwingPublicErrors {
      guard let source = store.open, persistentStores.contains(where: { $0 === store }) else {
        throw StoreError(
          .foreignStore, "The store \(store) cannot be copied: this coordinator does not have it.")
      }
      let request = StoreOpeningRequest(
        type: storeType, url: URL, configuration: source.configurationName, options: options,
        model: managedObjectModel)
      if storeObserver?.keepsFile(of: store, copiedAs: request) == true {
        return try moveFile(of: store, request)
      }
      let existed = dependencies.files.itemExists(at: URL)
      let context = source.contextual.map { _ in makeContext() }
      func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try context?.performAndWait(body) ?? body()
      }
      let shared =
        storeType == NSSQLiteStoreType
        ? try reading { try source.sharedRelationships(layouts, for: context) } : []
      let copy = try openStore(
        storeType, source.configurationName, at: URL, options, joining: shared)
      do {
        let copied = try reading {
          try copyContents(of: source, type: store.type, to: copy, for: context)
        }
        try remove(store)
        post(
          .NSPersistentStoreCoordinatorStoresDidChange,
          [NSUUIDChangedPersistentStoresKey: [store, copy, copied]])
      } catch {
        try? remove(copy)
        // The copy is saved in batches, and a second attempt would add to them.
        if !existed { removeCopy(at: URL, options, storeType) }
        throw error
      }
      return copy
    }
  }

  /// Removes the store that a failed copy created.
  private func removeCopy(at url: URL, _ options: [AnyHashable: Any]?, _ storeType: String) {
    guard url.isFileURL, let driver = try? StoreDrivers.driver(ofType: storeType),
      !driver.isPrivate(url)
    else { return }
    try? destroyPersistentStore(at: url, ofType: storeType, options: options)
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try? dependencies.files.removeItem(at: URL(fileURLWithPath: url.path + suffix))
    }
  }

  /// Copies a store's file and replaces the store with the copy.
  ///
  /// The store is closed first, so that no later write is missing from the copy. If the copy cannot
  /// be opened, the former store is added back.
  private func moveFile(of store: NSPersistentStore, _ request: StoreOpeningRequest) throws
    -> NSPersistentStore
  {
    guard let place = request.url, let former = store.url else {
      throw StoreError(
        .foreignStore, "The store \(store) cannot be copied: one of the two has no URL.")
    }
    guard !dependencies.files.itemExists(at: place) else {
      throw StoreError(
        .cannotOpen,
        """
        The mirrored store \(former.path) cannot be copied into \(place.path), which already \
        exists: two stores cannot be mirrored as one. Use replacePersistentStore, which \
        overwrites it.
        """,
        context: ["path": place.path])
    }
    let (type, options) = (store.type, store.options)
    try remove(store)
    do {
      try replaceStore(at: place, request.options, withStoreAt: former, options, type)
      let copy = try addPersistentStore(
        ofType: request.type, configurationName: request.configuration, at: place,
        options: request.options)
      let copied: [NSManagedObjectID] = []
      post(
        .NSPersistentStoreCoordinatorStoresDidChange,
        [NSUUIDChangedPersistentStoresKey: [store, copy, copied]])
      return copy
    } catch {
      // A second attempt would fail if the file existed.
      removeCopy(at: place, request.options, type)
      _ = try addPersistentStore(
        ofType: type, configurationName: request.configuration, at: former, options: options)
      throw error
    }
  }

  /// Copies a store to another location or store type, and replaces it with the copy.
  @discardableResult
  public func migratePersistentStore(
    _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
    type: NSPersistentStore.StoreType
  ) throws -> NSPersistentStore {
    try migratePersistentStore(store, to: storeURL, options: options, withType: type.rawValue)
  }

  private func copyContents(
    of source: OpenStore, type: String, to copy: NSPersistentStore,
    for context: NSManagedObjectContext?
  ) throws -> [NSManagedObjectID] {
    guard let destination = copy.open else { return [] }
    if destination.contextual != nil, let former = source.persistentStore {
      // The copy's own values, such as its UUID, take precedence.
      let own: [String: Any] = copy.metadata ?? [:]
      copy.metadata = own.merging(former.metadata ?? [:]) { own, _ in own }
      return try ObjectCopy(from: former, to: copy, in: self).run().map(\.copy.objectID)
    }
    let transaction = TransactionDescription(
      author: nil, contextName: nil, bundleID: dependencies.bundleID,
      processID: dependencies.processName,
      date: dependencies.now())
    func copying(_ rows: any RowStore) throws -> [NSManagedObjectID] {
      let copying = StoreCopy(
        from: rows, to: destination,
        copied: layouts.layouts.filter { source.keeps($0) && destination.keeps($0) },
        layouts: layouts,
        settings: StoreCopy.Settings(transaction: transaction, collectsIdentifiers: true))
      try copying.prepare()
      try copying.findDuplicates()
      try copying.run()
      return copying.identifiers
    }
    let copied =
      try context == nil
      ? source.withSnapshot(copying) : copying(source.rows(for: context))
    // The copy's own values, such as its UUID, take precedence.
    let given = try source.metadata(type: type)
    try destination.setMetadata(
      destination.metadata(type: copy.type).merging(given) { own, _ in own })
    return copied
  }

  /// A context for the coordinator's own work.
  func makeContext() -> NSManagedObjectContext {
    let context = StackDependencies.$current.withValue(dependencies) {
      NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    }
    context.performAndWait { context.persistentStoreCoordinator = self }
    return context
  }
}

extension OpenStore {
  /// The relationships without an inverse whose members have several owners in this store.
  func sharedRelationships(
    _ layouts: ModelLayouts, for context: NSManagedObjectContext?
  ) throws -> Set<ObjectIdentifier> {
    var shared = SharedOwners<RowKey>()
    for layout in layouts.layouts where keeps(layout) {
      let relationships = layout.properties.compactMap { $0 as? NSRelationshipDescription }
        .filter(\.mayShareMembers)
      guard !relationships.isEmpty else { continue }
      var specification = FetchSpecification()
      specification.entity = .strong(layout.entity)
      specification.includesSubentities = false
      let keys = try fetchKeys(RowFetch(layout: layout, specification: specification), for: context)
      for start in stride(from: 0, to: keys.count, by: Limits.rowsOfCopyingSave) {
        let owners = keys[start..<min(start + Limits.rowsOfCopyingSave, keys.count)].map(\.key)
        for relationship in relationships {
          let related = try members(
            of: relationship, owners: owners, layout: layout, includingRows: false, for: context)
          shared.add(related.members, of: relationship)
        }
      }
    }
    return shared.relationships
  }
}
