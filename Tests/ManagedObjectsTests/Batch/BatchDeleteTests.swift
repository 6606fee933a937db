import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

@Suite struct BatchDeleteTests {
  private func withWarehouse(_ body: (Warehouse) throws -> Void) throws {
    try withTemporaryDirectory { try body(Warehouse(in: $0)) }
  }

  // MARK: Deleted rows

  @Test func `A deletion removes the objects that its request matches`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(5)
      #expect(try house.delete("Item", "count > 3") == 2)
      #expect(try house.lines("Item", "title") == ["t1", "t2", "t3"])
      #expect(try house.delete("Item", "count > 3") == 0)
      #expect(try house.delete("Item") == 3)
      #expect(try house.lines("Item", "title").isEmpty)
    }
  }

  @Test func `A deletion honours order, limit and offset`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(6)
      let request = house.request("Item", "count < 6")
      request.sortDescriptors = [NSSortDescriptor(key: "count", ascending: false)]
      (request.fetchLimit, request.fetchOffset) = (2, 1)
      _ = try house.context.execute(NSBatchDeleteRequest(fetchRequest: request))
      #expect(try house.lines("Item", "count") == ["1", "2", "5", "6"])
    }
  }

  @Test func `A deletion includes subentities unless its request excludes them`() throws {
    try withWarehouse { (house) throws in
      house.add("Special", ["title": "s", "size": 2.0])
      house.add("Item", ["title": "i"])
      try house.context.save()
      let request = house.request("Item")
      request.includesSubentities = false
      _ = try house.context.execute(NSBatchDeleteRequest(fetchRequest: request))
      #expect(try house.lines("Item", "title") == ["s"])
      #expect(try house.delete("Item", "size == 2") == 1)
    }
  }

  @Test func `Predicates over related objects and many values select what is deleted`() throws {
    try withWarehouse { (house) throws in
      let shelf = house.add("Shelf", ["name": "top"])
      let items = try house.addItems(30)
      items[4].setValue(shelf, forKey: "shelf")
      try house.context.save()
      #expect(try house.delete("Item", "shelf.name == 'top'") == 1)
      let request = house.request("Item")
      request.predicate = NSPredicate(format: "count IN %@", Array(10...25))
      _ = try house.context.execute(NSBatchDeleteRequest(fetchRequest: request))
      #expect(try house.lines("Item", "count").count == 13)
    }
  }

  @Test func `A deletion by identifiers takes objects of one hierarchy`() throws {
    try withWarehouse { (house) throws in
      let items = try house.addItems(3)
      let special = house.add("Special", ["title": "s"])
      let tag = house.add("Tag", ["label": "red"])
      try house.context.save()
      let batch = NSBatchDeleteRequest(objectIDs: [items[0].objectID, special.objectID])
      batch.resultType = .resultTypeCount
      let result = try house.context.execute(batch) as? NSBatchDeleteResult
      #expect(result?.result as? Int == 2)
      #expect(try house.lines("Item", "title") == ["t2", "t3"])
      let mixed = NSBatchDeleteRequest(objectIDs: [items[1].objectID, tag.objectID])
      let error = house.error(mixed)
      #expect(error?.localizedDescription.contains("Item, Tag") == true)
      #expect(try house.lines("Item", "title") == ["t2", "t3"])
      let nothing = NSBatchDeleteRequest(objectIDs: [])
      nothing.resultType = .resultTypeCount
      let none = try house.context.execute(nothing) as? NSBatchDeleteResult
      #expect(none?.result as? Int == 0)
    }
  }

  @Test func `A deletion by identifiers removes nothing from another store`() throws {
    try withTemporaryDirectory { folder in
      let house = try Warehouse(in: folder, ["a", "b"])
      let stores = house.coordinator.persistentStores
      let items = try ["one", "two"].enumerated().map { place, title in
        let item = house.add("Item", ["title": title])
        house.context.assign(item, to: stores[place])
        try house.context.save()
        return item
      }
      // Both rows have the same key.
      #expect(
        items[0].objectID.uriRepresentation().lastPathComponent
          == items[1].objectID.uriRepresentation().lastPathComponent)
      _ = try house.context.execute(NSBatchDeleteRequest(objectIDs: [items[1].objectID]))
      #expect(try house.lines("Item", "title") == ["one"])
    }
  }

  // MARK: Results

  @Test func `A result has the requested type`() throws {
    try withWarehouse { (house) throws in
      let items = try house.addItems(2)
      let batch = NSBatchDeleteRequest(fetchRequest: house.request("Item"))
      #expect(batch.resultType == .resultTypeStatusOnly)
      #expect(batch.requestType == .batchDeleteRequestType)
      batch.resultType = .resultTypeObjectIDs
      let result = try #require(try house.context.execute(batch) as? NSBatchDeleteResult)
      #expect(result.result as? [NSManagedObjectID] == items.map(\.objectID))
      #expect(result.resultType == .resultTypeObjectIDs)
      let status = NSBatchDeleteRequest(fetchRequest: house.request("Item"))
      let second = try #require(try house.context.execute(status) as? NSBatchDeleteResult)
      #expect(second.result as? Bool == true)
      #expect(second.result as? [NSManagedObjectID] == nil)
    }
  }

  @Test func `The coordinator and a child context execute batch requests`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(2)
      let one = NSBatchDeleteRequest(fetchRequest: house.request("Item", "count == 1"))
      #expect(
        try house.coordinator.execute(one, with: house.context) is NSBatchDeleteResult)
      let child = NSManagedObjectContext.onAnyThread()
      child.parent = house.context
      let two = NSBatchDeleteRequest(fetchRequest: house.request("Item", "count == 2"))
      _ = try child.execute(two)
      #expect(try house.lines("Item", "title").isEmpty)
    }
  }

  @Test func `A request keeps a copy of its fetch request`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(2)
      let request = house.request("Item", "count == 1")
      let batch = NSBatchDeleteRequest(fetchRequest: request)
      request.predicate = nil
      batch.fetchRequest.predicate = nil
      batch.resultType = .resultTypeCount
      let copy = try #require(batch.copy() as? NSBatchDeleteRequest)
      #expect(copy.fetchRequest.entityName == "Item")
      #expect(copy.resultType == .resultTypeCount)
      _ = try house.context.execute(copy)
      #expect(try house.lines("Item", "title") == ["t2"])
    }
  }

  // MARK: Delete rules

  @Test func `Cascade deletes the destinations, and theirs`() throws {
    try withWarehouse { (house) throws in
      let shelf = house.add("Shelf", ["name": "top"])
      let other = house.add("Shelf", ["name": "low"])
      for number in 1...3 { house.add("Item", ["title": "t\(number)", "shelf": shelf]) }
      house.add("Special", ["title": "s", "shelf": shelf])
      house.add("Item", ["title": "kept", "shelf": other])
      try house.context.save()
      let batch = NSBatchDeleteRequest(fetchRequest: house.request("Shelf", "name == 'top'"))
      batch.resultType = .resultTypeObjectIDs
      let result = try house.context.execute(batch) as? NSBatchDeleteResult
      let ids = try #require(result?.result as? [NSManagedObjectID])
      #expect(Set(ids.compactMap(\.entity.name)) == ["Item", "Shelf", "Special"])
      #expect(ids.count == 5)
      #expect(try house.lines("Item", "title") == ["kept"])
      #expect(try house.lines("Shelf", "name", "itemCount") == ["low 1"])
    }
  }

  @Test func `A deletion of members leaves their owner, whose derived count follows`() throws {
    try withWarehouse { (house) throws in
      let owner = house.add("Owner", ["name": "Ann"])
      let shelf = house.add("Shelf", ["name": "top", "owner": owner])
      house.add("Item", ["title": "i", "shelf": shelf])
      try house.context.save()
      let before = house.token
      #expect(try house.delete("Item") == 1)
      #expect(try house.lines("Shelf", "name", "itemCount", "owner.name") == ["top 0 Ann"])
      #expect(try house.history(after: before) == ["delete Item p1 title=i"])
    }
  }

  @Test func `To-one relationships of remaining objects are cleared in all of their columns`()
    throws
  {
    try withTemporaryDirectory { folder in
      let model = Warehouse.model()
      // Without Cascade the items stay.
      model.entitiesByName["Shelf"]?.relationshipsByName["items"]?.deleteRule = .nullifyDeleteRule
      let house = try Warehouse(in: folder, model: model)
      let shelf = house.add("Shelf", ["name": "top"])
      let item = house.add("Item", ["title": "i", "shelf": shelf])
      let special = house.add("Special", ["title": "s", "shelf": shelf])
      house.add("Item", ["title": "free"])
      try house.context.save()
      let keys = [item, special].map { $0.objectID.uriRepresentation().lastPathComponent }
      let before = house.token
      #expect(try house.delete("Shelf") == 1)
      #expect(try house.lines("Item", "title", "shelf") == ["free nil", "i nil", "s nil"])
      #expect(try house.rows("SELECT Z_OPT FROM ZITEM ORDER BY ZTITLE") == ["1", "2", "2"])
      #expect(
        Set(try house.history(after: before)) == [
          "update Item \(keys[0]) shelf", "update Special \(keys[1]) shelf", "delete Shelf p1",
        ])
    }
  }

  @Test func `Deny refuses the deletion while destinations remain`() throws {
    try withWarehouse { (house) throws in
      let owner = house.add("Owner", ["name": "Ann"])
      house.add("Owner", ["name": "Ben"])
      house.add("Shelf", ["name": "top", "owner": owner])
      try house.context.save()
      let before = house.token
      let error = house.error(NSBatchDeleteRequest(fetchRequest: house.request("Owner")))
      #expect(error?.domain == NSCocoaErrorDomain)
      #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
      #expect(error?.localizedDescription.contains("shelves") == true)
      #expect(try house.lines("Owner", "name") == ["Ann", "Ben"])
      #expect(try house.history(after: before).isEmpty)
      #expect(try house.delete("Owner", "name == 'Ben'") == 1)
      #expect(try house.delete("Shelf") == 1)
      #expect(try house.delete("Owner") == 1)
    }
  }

  @Test func `A required relationship keeps its destination from being deleted`() throws {
    try withWarehouse { (house) throws in
      let item = house.add("Item", ["title": "i"])
      house.add("Slip", ["text": "s", "item": item])
      try house.context.save()
      let error = house.error(NSBatchDeleteRequest(fetchRequest: house.request("Item")))
      #expect(error?.code == NSValidationMissingMandatoryPropertyError)
      #expect(error?.localizedDescription.contains("Slip") == true)
      #expect(try house.lines("Slip", "item.title") == ["i"])
      #expect(try house.delete("Slip") == 1)
      #expect(try house.delete("Item") == 1)
    }
  }

  @Test func `Pairs of many-to-many relationships go with either object`() throws {
    try withWarehouse { (house) throws in
      let tags = ["red", "blue"].map { house.add("Tag", ["label": $0]) }
      for number in 1...3 {
        house.add("Item", ["title": "t\(number)", "tags": NSSet(array: tags)])
      }
      try house.context.save()
      let table = "Z_1TAGS"
      #expect(try house.rows("SELECT count(*) FROM \(table)") == ["6"])
      #expect(try house.delete("Item", "title == 't1'") == 1)
      #expect(try house.rows("SELECT count(*) FROM \(table)") == ["4"])
      #expect(try house.delete("Tag", "label == 'red'") == 1)
      #expect(try house.rows("SELECT count(*) FROM \(table)") == ["2"])
      #expect(try house.lines("Item", "title", "tags.@count") == ["t2 1", "t3 1"])
    }
  }

  // MARK: History, files, caches

  @Test func `The history has a transaction with the originator and the preserved values`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(3)
      let before = house.token
      house.context.transactionAuthor = "batch"
      #expect(try house.delete("Item", "count < 3") == 2)
      #expect(
        try house.history(after: before) == [
          "delete Item p1 title=t1", "delete Item p2 title=t2",
        ])
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: before)
      let result = try house.context.execute(request) as? NSPersistentHistoryResult
      let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
      #expect(transactions.map(\.author) == ["batch"])
      #expect(transactions.map(\.contextName) == ["main"])
    }
  }

  @Test func `Numbers of changes go on after the history was deleted`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(3)
      let all = NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture)
      _ = try house.context.execute(all)
      #expect(try house.delete("Item", "count < 3") == 2)
      #expect(try house.rows("SELECT Z_PK, ZENTITYPK FROM ACHANGE") == ["4 1", "5 2"])
      #expect(try house.delete("Item") == 1)
      #expect(try house.rows("SELECT max(Z_PK) FROM ACHANGE") == ["6"])
      #expect(try house.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001") == ["6"])
    }
  }

  @Test func `A store without a history executes batch requests, too`() throws {
    try withTemporaryDirectory { folder in
      let house = try Warehouse(in: folder, keepsHistory: false)
      try house.addItems(2)
      #expect(try house.update("Item", nil, ["count": 9]) == 2)
      #expect(try house.insert("Item", [["title": "new"]]) == 1)
      #expect(try house.delete("Item", "count == 9") == 2)
      #expect(try house.lines("Item", "title") == ["new"])
    }
  }

  @Test func `External files are removed after the deletion`() throws {
    try withWarehouse { (house) throws in
      for byte in [1, 2] as [UInt8] {
        house.add(
          "Item", ["title": "\(byte)", "photo": Data(repeating: byte, count: 200_000)])
      }
      try house.context.save()
      #expect(house.files().count == 2)
      #expect(try house.delete("Item", "title == '1'") == 1)
      #expect(house.files().count == 1)
      let photos = try house.otherContext().fetch(
        NSFetchRequest<NSManagedObject>(entityName: "Item")
      )
      .map { $0.value(forKey: "photo") as? Data }
      #expect(photos == [Data(repeating: 2, count: 200_000)])
    }
  }

  @Test func `A refused deletion keeps the external files`() throws {
    try withWarehouse { (house) throws in
      let item = house.add("Item", ["photo": Data(repeating: 1, count: 200_000)])
      house.add("Slip", ["item": item])
      try house.context.save()
      _ = house.error(NSBatchDeleteRequest(fetchRequest: house.request("Item")))
      #expect(house.files().count == 1)
    }
  }

  @Test func `Contexts keep their objects until the identifiers are merged`() throws {
    try withWarehouse { (house) throws in
      let items = try house.addItems(2)
      let batch = NSBatchDeleteRequest(fetchRequest: house.request("Item", "count == 1"))
      batch.resultType = .resultTypeObjectIDs
      let result = try house.context.execute(batch) as? NSBatchDeleteResult
      #expect(items[0].value(forKey: "title") as? String == "t1")
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSDeletedObjectsKey: result?.result ?? []], into: [house.context])
      #expect(items[0].isDeleted || items[0].managedObjectContext == nil)
      #expect(items[1].value(forKey: "title") as? String == "t2")
    }
  }

  @Test func `A context that changed a deleted object gets a conflict`() throws {
    try withWarehouse { (house) throws in
      let items = try house.addItems(1)
      items[0].setValue("changed", forKey: "title")
      #expect(try house.delete("Item") == 1)
      let error = #expect(throws: (any Error).self) { try house.context.save() }
      #expect(error.map { ($0 as NSError).code } == NSManagedObjectMergeError)
    }
  }

  @Test func `The cache forgets deleted rows`() throws {
    try withWarehouse { (house) throws in
      let items = try house.addItems(2)
      let other = house.otherContext()
      #expect(try house.delete("Item", "count == 1") == 1)
      #expect(throws: (any Error).self) { try other.existingObject(with: items[0].objectID) }
    }
  }

  // MARK: Stores

  @Test func `The affected stores limit a deletion`() throws {
    try withTemporaryDirectory { folder in
      let house = try Warehouse(in: folder, ["a", "b"])
      let stores = house.coordinator.persistentStores
      for (place, title) in ["one", "two"].enumerated() {
        house.context.assign(house.add("Item", ["title": title]), to: stores[place])
      }
      try house.context.save()
      let limited = NSBatchDeleteRequest(fetchRequest: house.request("Item"))
      limited.affectedStores = [stores[1]]
      _ = try house.context.execute(limited)
      #expect(try house.lines("Item", "title") == ["one"])
      let fetch = house.request("Item")
      fetch.affectedStores = [stores[1]]
      _ = try house.context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
      #expect(try house.lines("Item", "title") == ["one"])
      #expect(try house.delete("Item") == 1)
    }
  }

  @Test func `A limit counts the objects of all stores`() throws {
    try withTemporaryDirectory { folder in
      let house = try Warehouse(in: folder, ["a", "b"])
      let stores = house.coordinator.persistentStores
      for (number, title) in ["1", "2", "3", "4"].enumerated() {
        house.context.assign(house.add("Item", ["title": title]), to: stores[number % 2])
      }
      try house.context.save()
      let fetch = house.request("Item")
      fetch.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      (fetch.fetchOffset, fetch.fetchLimit) = (1, 2)
      _ = try house.context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
      #expect(try house.lines("Item", "title") == ["1", "4"])
    }
  }

  @Test func `A limited deletion needs no batch requests of stores that it does not affect`()
    throws
  {
    try withTemporaryDirectory { folder in
      let other = try Warehouse(in: folder, ["c"])
      other.add("Item", ["title": "three"])
      try other.context.save()
      try other.coordinator.remove(other.coordinator.persistentStores[0])
      let house = try Warehouse(in: folder, ["a", "b"])
      let stores = house.coordinator.persistentStores
      try house.coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil,
        at: folder.appendingPathComponent("c.sqlite"),
        options: [NSReadOnlyPersistentStoreOption: true, NSPersistentHistoryTrackingKey: true])
      for (place, title) in ["one", "two"].enumerated() {
        house.context.assign(house.add("Item", ["title": title]), to: stores[place])
      }
      try house.context.save()
      let fetch = house.request("Item")
      fetch.fetchLimit = 1
      let request = NSBatchDeleteRequest(fetchRequest: fetch)
      request.affectedStores = stores
      _ = try house.context.execute(request)
      let left = try house.lines("Item", "title")
      #expect(left.count == 2 && left.contains("three"))
    }
  }

  @Test func `Only SQLite stores execute batch requests`() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CompanyModel().model)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    let context = Warehouse.makeContext(coordinator)
    _ = context.company("Ice")
    try context.save()
    let update = NSBatchUpdateRequest(entityName: "Company")
    update.propertiesToUpdate = ["rank": 2]
    let requests: [NSPersistentStoreRequest] = [
      NSBatchDeleteRequest(
        fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Company")), update,
      NSBatchInsertRequest(entityName: "Company", objects: [["name": "Fire"]]),
    ]
    for request in requests {
      let error = #expect(throws: (any Error).self) { _ = try context.execute(request) }
      #expect(error.map { ($0 as NSError).code } == NSPersistentStoreUnsupportedRequestTypeError)
    }
    #expect(try context.companies().map(\.rank) == [1])
  }

  @Test func `A store in SQLite's memory executes batch requests`() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CompanyModel().model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"),
      options: nil)
    let context = Warehouse.makeContext(coordinator)
    _ = try context.execute(
      NSBatchInsertRequest(entityName: "Company", objects: [["name": "Ice"], ["name": "Fire"]]))
    _ = try context.execute(
      NSBatchDeleteRequest(
        fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Company")))
    #expect(try context.companies().isEmpty)
  }

  @Test func `A read-only store refuses batch requests, before any store is changed`() throws {
    try withTemporaryDirectory { folder in
      do {
        let house = try Warehouse(in: folder, ["a", "b"])
        let stores = house.coordinator.persistentStores
        for store in stores {
          house.context.assign(house.add("Item", ["title": "i"]), to: store)
        }
        try house.context.save()
        for store in stores { try house.coordinator.remove(store) }
      }
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Warehouse.model())
      for (name, isReadOnly) in [("a", false), ("b", true)] {
        try coordinator.addPersistentStore(
          ofType: NSSQLiteStoreType, configurationName: nil,
          at: folder.appendingPathComponent("\(name).sqlite"),
          options: [
            NSReadOnlyPersistentStoreOption: isReadOnly, NSPersistentHistoryTrackingKey: true,
          ])
      }
      let context = Warehouse.makeContext(coordinator)
      let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")
      let error = #expect(throws: (any Error).self) {
        _ = try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
      }
      #expect(error.map { ($0 as NSError).code } == CocoaError.fileWriteNoPermission.rawValue)
      #expect(try context.count(for: fetch) == 2)
      // An insertion goes to the first writable store.
      _ = try context.execute(NSBatchInsertRequest(entityName: "Item", objects: [["title": "n"]]))
      #expect(try context.count(for: fetch) == 3)
    }
  }
}
