import Foundation
import ManagedObjectModel
import ObjectRows

/// Firing faults.
extension NSManagedObjectContext {
  /// Loads the row of a fault from the cache or the store, together with its batch if it has one.
  ///
  /// Returns false if an incremental store failed. Then the object stays a fault.
  func fulfillFault(_ object: NSManagedObject) -> Bool {
    do {
      if object.isUnread {
        try readUnread(object)
      } else if try !loadRow(of: object) {
        handleInaccessible(object)
      }
      return true
    } catch {
      recordFailedRead(
        "The values of \(object.objectID.uriRepresentation().absoluteString)",
        of: object.storeNumber, error)
      return false
    }
  }

  /// Reloads the row of a fault if the row is older than the context's staleness interval allows.
  ///
  /// If the row no longer exists, the fault stays unchanged.
  @inline(__always)
  func reloadStaleRow(of object: NSManagedObject) {
    if stalenessInterval > 0 { replaceStaleRow(of: object) }
  }

  private func replaceStaleRow(of object: NSManagedObject) {
    guard let page = object.rowOwner as? RowPage,
      let open = persistentStoreCoordinator?.openStore(number: object.storeNumber),
      !open.isFresh(page, maximumAge: stalenessInterval), let newest = newestRow(of: object)
    else { return }
    object.attach(newest.row, on: newest.page)
  }

  /// Loads the row of a fault and attaches it; returns false if the row does not exist.
  func loadRow(of object: NSManagedObject) throws -> Bool {
    guard let source, !object.flags.contains(.inaccessible) else { return true }
    let batch = registry.mayHoldBatchFaults ? object.rowOwner as? FetchBatch : nil
    if let known = knownRow(of: object, maximumAge: stalenessInterval) {
      object.attach(known.row, on: known.page)
    } else if let members = object.rowOwner as? MemberBatch {
      try readRows(of: members, storeNumber: object.storeNumber)
    } else {
      try throwingPublicErrors { try readRow(of: object, batch, from: source) }
    }
    if let batch { try followKeyPaths(of: batch, storeNumber: object.storeNumber) }
    return object.hasRow
  }

  /// Reads the row of a fault, together with its batch if it has one.
  private func readRow(
    of object: NSManagedObject, _ batch: FetchBatch?, from source: any RowSource
  ) throws {
    let found = try inStepWithParent {
      try source.rows(
        withKeys: batch.map { presentKeys($0.keys, in: object.storeNumber) } ?? [object.key],
        layout: batch?.root ?? object.layout, in: object.storeNumber)
    }
    attach(found, storeNumber: object.storeNumber)
    // Only a missing row means that the object was deleted.
    if !object.hasRow, source.fetchesFaults(in: [object.storeNumber]) {
      try requireEntity(of: object, in: found)
    }
  }

  /// The row of an object, if the cache has it.
  func knownRow(of object: NSManagedObject, maximumAge: Double) -> PlacedRow? {
    guard maximumAge != 0, let source else { return nil }
    func find() -> PlacedRow? {
      let name = RowName(
        key: object.key, rootIndex: object.layout.rootIndex, storeNumber: object.storeNumber)
      return source.knownRow(name, layout: object.layout, maximumAge: maximumAge)
    }
    // This takes the parent's queue only, not those above it. So a child of a main-queue context
    // does not make the main queue wait while the main context's own parent saves.
    guard let storedParent else { return find() }
    return storedParent.performAndWait {
      adoptAliases()
      // The parent may adopt other keys while it looks.
      defer { adoptAliases() }
      return find()
    }
  }

  /// Attaches rows to the objects that are faults without a row.
  func attach(_ fetched: FetchedRows, storeNumber: UInt16) {
    for fetchedRow in fetched.rows {
      let page = fetched.pages[Int(fetchedRow.page)]
      guard
        let object = registry.object(
          fetchedRow.row.key, rootIndex: page.layout.rootIndex, storeNumber: storeNumber),
        object.isFault, !object.hasRow, object.layout === page.layout
      else { continue }
      object.attach(fetchedRow.row, on: page)
    }
  }

  /// Treats an object whose row no longer exists as deleted, or stops the program.
  func handleInaccessible(_ object: NSManagedObject) {
    // A batched fetch may outlive its store. Then there is nothing to delete or to save.
    if object.storeNumber != NSManagedObject.noStore,
      storeIdentity(number: object.storeNumber) == nil
    {
      object.flags.insert(.inaccessible)
      object.flags.remove(.fault)
      return
    }
    let identifier = object.objectID
    precondition(
      shouldHandleInaccessibleFault(object, for: identifier, triggeredByProperty: nil),
      "Core Data could not fulfill a fault for \(identifier.uriRepresentation().absoluteString): its row was deleted. If that can happen, use existingObject(with:), or leave shouldDeleteInaccessibleFaults set to true."
    )
    var flags = object.flags.union([.inaccessible, .deleted, .propagated])
    flags.subtract([.fault, .updated])
    changes.setFlags(flags, of: object)
  }

  // MARK: Relationships

  /// The destination of a to-one relationship.
  func destination(_ value: ToOneValue, of object: NSManagedObject) -> NSManagedObject {
    let layout = layouts[value.layoutIndex]
    if let alias = alias(of: value.key) {
      return self.object(alias.key, layout: layout, storeNumber: alias.storeNumber)
    }
    return self.object(
      value.key, layout: layout,
      storeNumber: storeNumber(ofKey: value.key, layout, relatedTo: object.storeNumber))
  }

  /// The store of a related object, or `noStore` for a temporary key.
  ///
  /// It is the store of the other object, because relationships do not cross stores. If that object
  /// has no store yet, it is the store in which the related object is registered, or else the first
  /// one.
  func storeNumber(ofKey key: Int64, _ layout: RowLayout, relatedTo storeNumber: UInt16) -> UInt16 {
    if key < 0 { return NSManagedObject.noStore }
    if storeNumber != NSManagedObject.noStore { return storeNumber }
    let stores = (try? source?.stores(for: layout, limitedTo: nil)) ?? []
    let holder = stores.first {
      registry.object(key, rootIndex: layout.rootIndex, storeNumber: $0) != nil
    }
    return holder ?? stores.first ?? NSManagedObject.noStore
  }

  /// The saved members of a to-many relationship, in its order; nil if the store failed.
  func loadMembers(ofRelationship ordinal: Int, of object: NSManagedObject) -> [NSManagedObject]? {
    guard let source,
      let relationship = object.layout.properties[ordinal] as? NSRelationshipDescription,
      !relationship.isTransient, !object.flags.contains(.unsaved),
      !object.flags.contains(.inaccessible)
    else { return [] }
    let place = RelationshipPlace(ordinal, object.layout)
    let includesRows = relationshipsReadWithRows.contains(place)
    do {
      let related = try throwingPublicErrors {
        try inStepWithParent {
          try source.members(
            of: relationship, owners: [object.key], layout: object.layout, in: object.storeNumber,
            includingRows: includesRows)
        }
      }
      let members = withoutDeleted(objects(of: related, storeNumber: object.storeNumber))
      if !includesRows { join(members, place) }
      return members
    } catch {
      recordFailedRead(object.place(relationship), of: object.storeNumber, error)
      return nil
    }
  }
}

extension NSManagedObjectContext {
  /// Throws if the row of an object has another entity.
  ///
  /// An incremental store may have named the object by the entity of a relationship's destination
  /// before it fetched the object.
  func requireEntity(of object: NSManagedObject, in found: FetchedRows) throws(StoreError) {
    guard let row = found.rows.first(where: { $0.row.key == object.key }) else { return }
    let layout = found.pages[Int(row.page)].layout
    guard layout !== object.layout else { return }
    throw StoreError(
      .unfitValue,
      "The object is of \(object.entity.name ?? "") here, and of \(layout.entity.name ?? "") in "
        + "the store. Reset the context, and fetch it again.")
  }
}
