import Foundation
import ManagedObjectModel
import ObjectRows

/// How objects come to their values.
extension NSManagedObjectContext {
  /// Brings in the row of a fault: from memory, else from the store, with the rows of its batch
  /// where it has one.
  func fulfillFault(_ object: NSManagedObject) {
    do {
      if try !bringInRow(of: object) { handleInaccessible(object) }
    } catch {
      preconditionFailure(
        "The values of \(object.objectID.uriRepresentation().absoluteString) cannot be read. \(error)"
      )
    }
  }

  /// Reads the row of a fault anew that a fetch brought long ago, where the context wants younger
  /// ones.
  ///
  /// A row that is gone meanwhile leaves the fault as it is.
  @inline(__always)
  func bringInFreshRow(of object: NSManagedObject) {
    if stalenessInterval > 0 { replaceStaleRow(of: object) }
  }

  private func replaceStaleRow(of object: NSManagedObject) {
    guard let page = object.rowOwner as? RowPage,
      let open = persistentStoreCoordinator?.openStore(number: object.storeNumber),
      !open.isFresh(page, maximumAge: stalenessInterval), let newest = newestRow(of: object)
    else { return }
    object.attach(newest.row, on: newest.page)
  }

  /// Gives a fault its row.
  ///
  /// Returns false where there is no such row.
  func bringInRow(of object: NSManagedObject) throws -> Bool {
    guard let source, !object.flags.contains(.inaccessible) else { return true }
    adoptAliases()
    if let known = knownRow(of: object, maximumAge: stalenessInterval) {
      object.attach(known.row, on: known.page)
      return true
    }
    let batch = object.rowOwner as? FetchBatch
    return try throwingPublicErrors {
      let keys = batch?.keys ?? [object.key]
      let found = try source.rows(
        withKeys: keys, layout: batch?.root ?? object.layout, in: object.storeNumber)
      attach(found, storeNumber: object.storeNumber)
      return object.hasRow
    }
  }

  /// The row of an object that is in memory already.
  func knownRow(of object: NSManagedObject, maximumAge: Double) -> PlacedRow? {
    guard maximumAge != 0 else { return nil }
    let name = RowName(
      key: object.key, rootIndex: object.layout.rootIndex, storeNumber: object.storeNumber)
    return source?.knownRow(name, layout: object.layout, maximumAge: maximumAge)
  }

  /// Gives rows to those faults among the objects that have none.
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

  /// An object whose row is gone counts as deleted, or stops the program.
  private func handleInaccessible(_ object: NSManagedObject) {
    // A batched fetch may outlive its store: there is nothing to delete, and nothing that a save
    // could write.
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
      "Core Data could not fulfill a fault for \(identifier.uriRepresentation().absoluteString): its row was deleted. Use existingObject(with:) where that may happen, or leave shouldDeleteInaccessibleFaults on."
    )
    var flags = object.flags.union([.inaccessible, .deleted, .propagated])
    flags.subtract([.fault, .updated])
    changes.setFlags(flags, of: object)
  }

  // MARK: Relationships

  /// The object at the end of a to-one relationship.
  func destination(_ value: ToOneValue, of object: NSManagedObject) -> NSManagedObject {
    let layout = layouts[value.layoutIndex]
    if let alias = alias(of: value.key) {
      return self.object(alias.key, layout: layout, storeNumber: alias.storeNumber)
    }
    return self.object(
      value.key, layout: layout,
      storeNumber: storeNumber(ofKey: value.key, layout, relatedTo: object.storeNumber))
  }

  /// The store of an object that one of a store is related to: the same, since no relationship
  /// leads from store to store.
  func storeNumber(ofKey key: Int64, _ layout: RowLayout, relatedTo storeNumber: UInt16) -> UInt16 {
    if key < 0 { return NSManagedObject.noStore }
    if storeNumber != NSManagedObject.noStore { return storeNumber }
    let stores = (try? source?.stores(for: layout, limitedTo: nil)) ?? []
    let holder = stores.first {
      registry.object(key, rootIndex: layout.rootIndex, storeNumber: $0) != nil
    }
    return holder ?? stores.first ?? NSManagedObject.noStore
  }

  /// The members of a to-many relationship as they were saved, in its order.
  func loadMembers(ofRelationship ordinal: Int, of object: NSManagedObject) -> [NSManagedObject] {
    guard let source,
      let relationship = object.layout.properties[ordinal] as? NSRelationshipDescription,
      !relationship.isTransient, !object.flags.contains(.unsaved),
      !object.flags.contains(.inaccessible)
    else { return [] }
    do {
      let related = try throwingPublicErrors {
        try source.members(
          of: relationship, owners: [object.key], layout: object.layout, in: object.storeNumber,
          includingRows: false)
      }
      return members(related.members[...], of: object)
    } catch {
      preconditionFailure("\(object.place(relationship)) cannot be read. \(error)")
    }
  }

  /// The objects of members' keys, without those that are deleted.
  func members(_ keys: ArraySlice<RowKey>, of owner: NSManagedObject) -> [NSManagedObject] {
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(keys.count)
    for member in keys {
      let layout = layouts[member.layoutIndex]
      let object = object(
        member.key, layout: layout,
        storeNumber: storeNumber(ofKey: member.key, layout, relatedTo: owner.storeNumber))
      if !object.flags.isSuperset(of: [.deleted, .propagated]) { objects.append(object) }
    }
    return objects
  }
}
