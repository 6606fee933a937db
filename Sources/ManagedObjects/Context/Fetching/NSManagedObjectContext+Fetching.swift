import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// Fetching.
extension NSManagedObjectContext {
  func count(_ specification: FetchSpecification, limitedTo stores: [AnyObject]?) throws -> Int {
    requireAccess("count(for:) was called")
    var plan = try FetchPlan(specification, limitedTo: stores, in: self)
    plan.specification.sortDescriptors = nil
    return try throwingPublicErrors { try count(plan) }
  }

  /// The results, in the request's result type.
  func results<T>(of plan: FetchPlan, as type: T.Type) throws -> [T] {
    requireAccess("fetch(_:) was called")
    adoptAliases()
    if plan.specification.resultType == .managedObjectResultType {
      return FetchResults.cast(
        objects: try throwingPublicErrors { try fetchObjects(plan) }, to: type)
    }
    return try throwingPublicErrors {
      switch plan.specification.resultType {
      case .managedObjectIDResultType: FetchResults.cast(try fetchIdentifiers(plan), to: type)
      case .dictionaryResultType: FetchResults.cast(try fetchDictionaries(plan), to: type)
      case .countResultType: FetchResults.cast(count: try count(plan), to: type)
      default: FetchResults.cast(objects: try fetchObjects(plan), to: type)
      }
    }
  }

  // MARK: Objects

  func fetchObjects(_ plan: FetchPlan) throws -> [NSManagedObject] {
    let overlay = try overlay(of: plan)
    let objects =
      overlay == nil && plan.stores.count == 1
      ? try storedObjects(plan) : try objects(of: plan, overlay)
    if plan.specification.shouldRefreshRefetchedObjects { try takeNewestRows(objects, plan) }
    if let keyPaths = plan.specification.relationshipKeyPathsForPrefetching, !readsFaults(plan) {
      // An unread batch follows the key paths when it is loaded.
      let isBatched = plan.specification.fetchBatchSize > 0
      try prefetch(keyPaths, from: isBatched ? objects.filter(\.hasRow) : objects)
    }
    if !plan.specification.returnsObjectsAsFaults, !objects.allHeldSatisfy({ !$0.isFault }) {
      let readsFaults = readsFaults(plan)
      for object in objects where object.isFault {
        if readsFaults, !object.hasRow { _ = try loadRow(of: object) }
        object.prepareAccess()
      }
    }
    return objects
  }

  /// Whether a store reads the values of the fetched objects one object at a time.
  ///
  /// Such a store decides itself what to load in advance.
  private func readsFaults(_ plan: FetchPlan) -> Bool {
    source?.fetchesFaults(in: plan.stores) ?? false
  }

  /// The effect of unsaved changes on a fetch; nil if they do not affect it.
  private func overlay(of plan: FetchPlan) throws -> PendingOverlay? {
    guard plan.specification.includesPendingChanges else { return nil }
    processPendingChanges()
    return changes.isEmpty ? nil : try PendingOverlay(plan, in: self)
  }

  /// The results of the stores, adjusted for unsaved changes and cut to the request's offset and
  /// limit.
  private func objects(of plan: FetchPlan, _ overlay: PendingOverlay?) throws -> [NSManagedObject] {
    var plan = plan
    let window = FetchWindow(&plan, allowingFor: overlay?.savedCount)
    let stored = try storedObjects(plan)
    return window.cut(try overlay?.apply(to: stored) ?? stored)
  }

  /// The results of the stores as objects, merged and sorted if there are several stores.
  private func storedObjects(_ plan: FetchPlan) throws -> [NSManagedObject] {
    guard let source, !plan.stores.isEmpty else { return [] }
    if let answer = plan.answer, answer.moment != moment {
      var unanswered = plan
      unanswered.answer = nil
      return try storedObjects(unanswered)
    }
    defer { heldAnswers = [] }
    guard !plan.readsKeys(from: source) else {
      return try merged(plan.fetchKeys(from: source).map { faults($0, plan) }, plan)
    }
    let wantsValues = !plan.specification.returnsObjectsAsFaults
    var objects: [NSManagedObject] = []
    var others: [[NSManagedObject]] = []
    try plan.fetchRows(from: source) { part in
      let found = materialize(part.rows, storeNumber: part.storeNumber, wantsValues: wantsValues)
      if objects.isEmpty { objects = found } else { others.append(found) }
    }
    return others.isEmpty ? objects : try merged([objects] + others, plan)
  }

  /// Merges the results of several stores in the request's order.
  private func merged(_ parts: [[NSManagedObject]], _ plan: FetchPlan) throws -> [NSManagedObject] {
    let found = parts.filter { !$0.isEmpty }
    if found.count <= 1 { return found.first ?? [] }
    return try FetchEvaluation.run {
      try found.joined().sorted(following: plan.specification.sortDescriptors ?? [])
    }
  }

  /// The objects for keys.
  ///
  /// If the request has a batch size, their rows are loaded in batches when the objects are used.
  private func faults(_ found: StoreKeys, _ plan: FetchPlan) -> [NSManagedObject] {
    let objects = found.keys.map { key in
      object(
        key.key, layout: layouts[key.layoutIndex],
        storeNumber: key.key < 0 ? NSManagedObject.noStore : found.storeNumber)
    }
    let size = plan.specification.fetchBatchSize
    guard size > 0, !readsFaults(plan) else { return objects }
    for start in stride(from: 0, to: objects.count, by: size) {
      join(objects[start..<min(start + size, objects.count)], plan)
    }
    return objects
  }

  /// The object for a row that a closure in a predicate evaluates.
  func object(of row: RowReference, on page: RowPage, storeNumber: UInt16) -> NSManagedObject {
    let object = object(row.key, layout: page.layout, storeNumber: storeNumber)
    if object.isFault, !object.hasRow { object.attach(row, on: page) }
    return object
  }

  /// Makes the faults among some objects a batch, whose rows are loaded together.
  private func join(_ objects: ArraySlice<NSManagedObject>, _ plan: FetchPlan) {
    let faults = objects.filter { $0.isFault && !$0.hasRow && $0.state == nil }
    if !faults.isEmpty { registry.expectBatchFaults() }
    let keys = faults.map(\.key)
    var batches: [FetchBatch] = []
    for object in faults {
      let batch =
        batches.first { $0.layout === object.layout }
        ?? FetchBatch(
          keys: keys, root: plan.layout, layout: object.layout,
          prefetching: plan.specification.relationshipKeyPathsForPrefetching)
      if batches.last !== batch { batches.append(batch) }
      object.owner = batch
      registry.expectDetaching(of: object)
    }
  }

  /// Gives unchanged objects their newest rows.
  ///
  /// The rows come from the cache if the fetch has just loaded them there. Otherwise, or if the
  /// context is pinned to a generation, they are read from the stores.
  private func takeNewestRows(_ objects: [NSManagedObject], _ plan: FetchPlan) throws {
    let areCached =
      plan.specification.fetchBatchSize <= 0 && plan.specification.includesPropertyValues
    var missing: [NSManagedObject] = []
    for object in objects where object.flags.change == nil && !object.isFault {
      if areCached, let newest = knownRow(of: object, maximumAge: -1) {
        take(newest, object)
      } else {
        missing.append(object)
      }
    }
    if readsFaults(plan) { return }
    for found in try rows(of: missing) {
      for fetched in found.rows.rows {
        let page = found.rows.pages[Int(fetched.page)]
        let object = registry.object(
          fetched.row.key, rootIndex: page.layout.rootIndex, storeNumber: found.storeNumber)
        guard let object, object.layout === page.layout else { continue }
        take(PlacedRow(row: fetched.row, page: page), object)
      }
    }
  }

  private func take(_ newest: PlacedRow, _ object: NSManagedObject) {
    rebase(object, on: newest)
    changes.refreshed.append(object)
  }

  // MARK: Other results

  private func fetchIdentifiers(_ plan: FetchPlan) throws -> [NSManagedObjectID] {
    guard let source else { return [] }
    if try overlay(of: plan) != nil { return try fetchObjects(plan).map(\.objectID) }
    defer { heldAnswers = [] }
    var plan = plan
    if plan.answer?.moment != moment { plan.answer = nil }
    let window = FetchWindow(&plan, allowingFor: nil)
    let found = try plan.fetchKeys(from: source).filter { !$0.keys.isEmpty }
    if found.count > 1, plan.specification.sortDescriptors?.isEmpty == false {
      return window.cut(try fetchObjects(plan).map(\.objectID))
    }
    return window.cut(
      found.flatMap { part in
        let identity = source.identity(ofStore: part.storeNumber)
        return part.keys.map {
          let layout = layouts[$0.layoutIndex]
          guard $0.key >= 0 else {
            return NSManagedObjectID(
              layout: layout, temporaryKey: $0.key, of: dependencies.temporaryKeys)
          }
          return NSManagedObjectID(layout: layout, key: $0.key, storeIdentity: identity)
        }
      })
  }

  private func fetchDictionaries(_ plan: FetchPlan) throws -> [[String: Any]] {
    guard let source else { return [] }
    var plan = plan
    let window = FetchWindow(&plan, allowingFor: nil)
    let order = DictionaryOrder(&plan)
    var found = try plan.fetchDictionaries(from: source)
    if plan.stores.count > 1, plan.specification.returnsDistinctResults { found = found.distinct() }
    if let order { found = try order.sort(found) }
    return try DictionaryDecoder(plan).decode(window.cut(found))
  }

  func count(_ plan: FetchPlan) throws -> Int {
    guard let source else { return 0 }
    guard let overlay = try overlay(of: plan) else {
      guard plan.stores.count > 1 else { return try plan.count(from: source) }
      var all = plan
      let window = FetchWindow(&all, allowingFor: nil)
      return window.cut(count: try all.count(from: source))
    }
    if readsFaults(plan) { return try fetchObjects(plan).count }
    var all = plan
    let window = FetchWindow(&all, isUnbounded: true)
    let stored = try all.count(from: source)
    return window.cut(count: try stored + overlay.difference(all))
  }
}
