import Foundation
import ManagedObjectModel
import ObjectRows

/// Loading rows and members of many objects together.
extension NSManagedObjectContext {
  /// Follows relationship key paths from objects, with one query for each step and entity.
  func prefetch(_ keyPaths: [String], from objects: [NSManagedObject]) throws {
    // A step that was followed once needs no second query, so key paths with a common prefix share
    // its steps.
    for keyPath in keyPaths {
      let keys = keyPath.split(separator: ".")
      var reached = objects
      for (place, key) in keys.enumerated() where !reached.isEmpty {
        reached = try follow(String(key), from: reached, continues: place + 1 < keys.count)
      }
    }
  }

  /// Follows the key paths of a fetch from the objects of a batch when the first of them is loaded.
  func followKeyPaths(of batch: FetchBatch, storeNumber: UInt16) throws {
    guard let keyPaths = batch.takeKeyPaths() else { return }
    let objects = presentKeys(batch.keys, in: storeNumber).compactMap {
      registry.object($0, rootIndex: batch.root.rootIndex, storeNumber: storeNumber)
    }
    try readRows(of: objects)
    try prefetch(keyPaths, from: objects)
  }

  /// Loads the objects at the other end of a relationship with their rows.
  ///
  /// Returns them if the path continues.
  private func follow(_ key: String, from objects: [NSManagedObject], continues: Bool) throws
    -> [NSManagedObject]
  {
    var reached: [NSManagedObject] = []
    for group in ObjectGroup.groups(of: objects) {
      guard let ordinal = group.layout.ordinal(of: key),
        let relationship = group.layout.properties[ordinal] as? NSRelationshipDescription
      else {
        preconditionFailure(
          "relationshipKeyPathsForPrefetching: \(group.layout.entity.name ?? "The entity") has no relationship \(key)."
        )
      }
      if relationship.isToMany {
        try readMembers(of: relationship, ordinal, group)
        if continues { for object in group.objects { reached += object.members(ordinal).objects } }
      } else {
        reached += try destinationsWithRows(ordinal, group.objects)
      }
    }
    return reached.count > 1 ? unique(reached) : reached
  }

  private func unique(_ objects: [NSManagedObject]) -> [NSManagedObject] {
    var known = Set<ObjectIdentifier>(minimumCapacity: objects.count)
    return objects.filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  private func destinationsWithRows(_ ordinal: Int, _ objects: [NSManagedObject]) throws
    -> [NSManagedObject]
  {
    var destinations: [NSManagedObject] = []
    for object in objects {
      if !object.hasRow { object.prepareAccess() }
      if let destination = object.destination(ordinal) { destinations.append(destination) }
    }
    destinations = unique(destinations)
    try readRows(of: destinations)
    return destinations
  }

  // MARK: Rows

  /// Loads the rows of faults that have none, as far as the stores can be read.
  func loadRows(of objects: [NSManagedObject]) {
    for group in ObjectGroup.groups(of: objects) {
      do {
        try readRows(of: group.objects)
      } catch {
        recordFailedRead(
          "The values of \(group.objects.count) objects", of: group.storeNumber, error)
      }
    }
  }

  /// Loads the rows of faults that have none.
  func readRows(of objects: [NSManagedObject]) throws {
    let missing = objects.filter {
      guard $0.isFault, !$0.hasRow, $0.flags.isDisjoint(with: [.unsaved, .inaccessible]) else {
        return false
      }
      guard let known = knownRow(of: $0, maximumAge: stalenessInterval) else { return true }
      $0.attach(known.row, on: known.page)
      return false
    }
    for found in try rows(of: missing) { attach(found.rows, storeNumber: found.storeNumber) }
  }

  /// Reads the rows of objects, with one query for each entity and store.
  func rows(of objects: [NSManagedObject]) throws -> [StoreRows] {
    guard let source, !objects.isEmpty else { return [] }
    return try throwingPublicErrors {
      try inStepWithParent {
        try ObjectGroup.groups(of: objects).map { group in
          let rows = try source.rows(
            withKeys: group.objects.map(\.key), layout: group.layout, in: group.storeNumber)
          return StoreRows(storeNumber: group.storeNumber, rows: rows)
        }
      }
    }
  }

  // MARK: Members

  /// Loads the members of a relationship of several objects, with their rows.
  func readMembers(
    of relationship: NSRelationshipDescription, _ ordinal: Int, _ group: ObjectGroup
  ) throws {
    guard let source, !relationship.isTransient else { return }
    let owners = group.objects.filter {
      $0.flags.isDisjoint(with: [.unsaved, .inaccessible])
        && $0.state?.members[ordinal]?.isLoaded != true
    }
    guard !owners.isEmpty else { return }
    let read: RelatedRows? = try throwingPublicErrors {
      try inStepWithParent { () throws -> RelatedRows? in
        guard storedParent == nil || owners.allSatisfy({ $0.storeNumber == group.storeNumber })
        else { return nil }
        return try source.members(
          of: relationship, owners: owners.map(\.key), layout: group.layout, in: group.storeNumber,
          includingRows: true)
      }
    }
    guard let related = read else {
      // The parent has saved owners since they were grouped.
      for regrouped in ObjectGroup.groups(of: owners) {
        try readMembers(of: relationship, ordinal, regrouped)
      }
      return
    }
    if let rows = related.rows, rows.rows.count == related.owners.count, areAscending(owners) {
      return assign(
        materializeToBuffer(rows, storeNumber: group.storeNumber), related.owners, to: owners,
        ordinal
      )
    }
    let members = objects(of: related, storeNumber: group.storeNumber)
    distribute(members, related.owners, to: owners, ordinal)
  }

  /// Whether the keys of the owners ascend, which is the order of the members that were read.
  private func areAscending(_ owners: [NSManagedObject]) -> Bool {
    var last = Int64.min
    return owners.allHeldSatisfy { owner in
      defer { last = owner.key }
      return owner.key > last
    }
  }

  /// The member objects, one for each entry.
  func objects(of related: RelatedRows, storeNumber: UInt16) -> [NSManagedObject] {
    if let rows = related.rows, rows.rows.count == related.members.count {
      return materialize(rows, storeNumber: storeNumber, wantsValues: false)
    }
    return related.members.map { member in
      let layout = layouts[member.layoutIndex]
      return object(
        member.key, layout: layout,
        storeNumber: self.storeNumber(ofKey: member.key, layout, relatedTo: storeNumber))
    }
  }

  /// Assigns to each owner its members, which must be in the order of the owners.
  private func assign(
    _ members: consuming ObjectBuffer, _ ownerKeys: ContiguousArray<Int64>,
    to owners: [NSManagedObject], _ ordinal: Int
  ) {
    var runs = OwnerRuns(ownerKeys)
    for owner in owners {
      let run = runs.run(of: owner.key)
      load(run.isEmpty ? [] : members.take(run), into: owner, ordinal)
    }
  }

  /// Assigns to each owner its members, which are adjacent in the list.
  private func distribute(
    _ members: [NSManagedObject], _ ownerKeys: ContiguousArray<Int64>, to owners: [NSManagedObject],
    _ ordinal: Int
  ) {
    var runs = OwnerRuns(ownerKeys)
    for owner in owners {
      load(Array(members[runs.run(of: owner.key)]), into: owner, ordinal)
    }
  }

  private func load(_ members: [NSManagedObject], into owner: NSManagedObject, _ ordinal: Int) {
    owner.knownMembers(ordinal).load(withoutDeleted(members))
  }

  /// The members of a relationship that this context has not deleted.
  func withoutDeleted(_ members: [NSManagedObject]) -> [NSManagedObject] {
    if changes.isEmpty { return members }
    return members.filter { !$0.flags.isSuperset(of: [.deleted, .propagated]) }
  }
}
