import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

@Suite struct BatchInsertTests {
  private func withWarehouse(_ body: (Warehouse) throws -> Void) throws {
    try withTemporaryDirectory { try body(Warehouse(in: $0)) }
  }

  // MARK: Values

  @Test func `Objects get given values, defaults, and nil`() throws {
    try withWarehouse { (house) throws in
      let objects: [[String: Any]] = [
        ["title": "a"], ["title": NSNull(), "count": 1], ["count": NSNull(), "memo": "transient"],
      ]
      #expect(try house.insert("Item", objects) == 3)
      #expect(
        try house.lines("Item", "title", "count", "needed", "memo") == [
          "a 7 yes nil", "nil 1 yes nil", "nil nil yes nil",
        ])
      #expect(try house.rows("SELECT Z_PK, Z_OPT FROM ZITEM") == ["1 1", "2 1", "3 1"])
    }
  }

  @Test func `Values of every type are written`() throws {
    try withWarehouse { (house) throws in
      let id = UUID()
      let day = Date(timeIntervalSinceReferenceDate: 1000)
      try house.insert(
        "Item",
        [
          [
            "title": "new", "count": 5, "small": 3, "middle": NSNumber(value: 70_000),
            "isNew": true, "price": Decimal(string: "10.11") as Any, "day": day, "id": id,
            "weight": 1.5, "link": URL(string: "https://example.org/a") as Any,
            "data": Data([1, 2]), "photo": Data(repeating: 5, count: 200_000),
            "colour": ["red"], "place": ["hall": "A", "x": 2],
          ]
        ])
      let item = try #require(
        try house.otherContext().fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")).first)
      #expect(item.value(forKey: "count") as? Int == 5)
      #expect(item.value(forKey: "small") as? Int == 3)
      #expect(item.value(forKey: "middle") as? Int == 70_000)
      #expect(item.value(forKey: "isNew") as? Bool == true)
      #expect((item.value(forKey: "price") as? NSDecimalNumber)?.stringValue == "10.11")
      #expect(item.value(forKey: "day") as? Date == day)
      #expect(item.value(forKey: "id") as? UUID == id)
      #expect(item.value(forKey: "weight") as? Float == 1.5)
      #expect(item.value(forKey: "link") as? URL == URL(string: "https://example.org/a"))
      #expect(item.value(forKey: "data") as? Data == Data([1, 2]))
      #expect(item.value(forKey: "photo") as? Data == Data(repeating: 5, count: 200_000))
      #expect(house.files().count == 1)
      #expect(item.value(forKey: "colour") as? [String] == ["red"])
      #expect(item.value(forKeyPath: "place.hall") as? String == "A")
      #expect(item.value(forKeyPath: "place.x") as? Double == 2)
    }
  }

  @Test func `A transformable attribute gets its default value`() throws {
    try withWarehouse { (house) throws in
      try house.insert("Item", [["title": "a"], ["title": "b", "shade": ["light"]]])
      _ = try house.context.execute(
        NSBatchInsertRequest(entityName: "Item", managedObjectHandler: Self.once("c")))
      let items = try house.otherContext().fetch(
        NSFetchRequest<NSManagedObject>(entityName: "Item"))
      let shades = items.compactMap { $0.value(forKey: "shade") as? [String] }
      #expect(shades.map(\.description).sorted() == [#"["dark"]"#, #"["dark"]"#, #"["light"]"#])
    }
  }

  /// A handler for one object with a title.
  private static func once(_ title: String) -> (NSManagedObject) -> Bool {
    var isDone = false
    return { object in
      defer { isDone = true }
      object.setValue(title, forKey: "title")
      return isDone
    }
  }

  // MARK: Sources

  @Test func `A dictionary handler is called until it returns true`() throws {
    try withWarehouse { (house) throws in
      var calls = 0
      let request = NSBatchInsertRequest(
        entityName: "Item",
        dictionaryHandler: { dictionary in
          calls += 1
          dictionary["title"] = "t\(calls)"
          dictionary.addEntries(from: ["count": calls])
          return calls == 4
        })
      request.resultType = .count
      let result = try house.context.execute(request) as? NSBatchInsertResult
      #expect(result?.result as? Int == 3)
      #expect(calls == 4)
      #expect(try house.lines("Item", "title", "count") == ["t1 1", "t2 2", "t3 3"])
    }
  }

  @Test func `A handler that stops at once inserts nothing`() throws {
    try withWarehouse { (house) throws in
      let before = house.token
      let request = NSBatchInsertRequest(entityName: "Item", managedObjectHandler: { _ in true })
      request.resultType = .objectIDs
      let result = try house.context.execute(request) as? NSBatchInsertResult
      #expect(result?.result as? [NSManagedObjectID] == [])
      #expect(try house.insert("Item", []) == 0)
      #expect(house.token == before)
    }
  }

  @Test func `An object handler sets the attributes of an object without context`() throws {
    try withWarehouse { (house) throws in
      var number = 0
      let entity = try #require(house.coordinator.managedObjectModel.entitiesByName["Item"])
      let request = NSBatchInsertRequest(
        entity: entity,
        managedObjectHandler: { object in
          number += 1
          #expect(object.managedObjectContext == nil)
          #expect(object.value(forKey: "title") == nil)
          #expect(object.value(forKey: "count") as? Int == 7)
          object.setValue("t\(number)", forKey: "title")
          object.setValue(["c\(number)"], forKey: "colour")
          if number == 2 { object.setValue(nil, forKey: "count") }
          return number > 2
        })
      #expect(request.entity === entity)
      _ = try house.context.execute(request)
      #expect(try house.lines("Item", "title", "count") == ["t1 7", "t2 nil"])
      let colours = try house.otherContext().fetch(
        NSFetchRequest<NSManagedObject>(entityName: "Item")
      ).compactMap { $0.value(forKey: "colour") as? [String] }
      #expect(Set(colours) == [["c1"], ["c2"]])
    }
  }

  @Test func `Many rows of a handler are not in memory at once`() throws {
    try withWarehouse { (house) throws in
      var number = 0
      var alive: [() -> Bool] = []
      var most = 0
      let request = NSBatchInsertRequest(
        entityName: "Item",
        dictionaryHandler: { dictionary in
          if number == 5000 { return true }
          number += 1
          weak let previous = dictionary
          alive.append { previous != nil }
          if number % 500 == 0 { most = max(most, alive.filter { $0() }.count) }
          dictionary["count"] = number
          return false
        })
      request.resultType = .count
      let result = try house.context.execute(request) as? NSBatchInsertResult
      #expect(result?.result as? Int == 5000)
      #expect(most < 10)
      #expect(try house.rows("SELECT count(*), max(ZCOUNT) FROM ZITEM") == ["5000 5000"])
      #expect(try house.rows("SELECT count(*) FROM ACHANGE") == ["5000"])
      #expect(try house.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'") == ["5000"])
    }
  }

  @Test func `Objects of a subentity are inserted`() throws {
    try withWarehouse { (house) throws in
      try house.insert("Special", [["title": "s", "size": 2.0]])
      #expect(try house.lines("Special", "title", "size") == ["s 2.0"])
      #expect(try house.lines("Item", "title") == ["s"])
    }
  }

  // MARK: Results, history, stores

  @Test func `A result has the requested type`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(1)
      let request = NSBatchInsertRequest(entityName: "Item", objects: [["title": "a"], [:]])
      #expect(request.requestType == .batchInsertRequestType)
      #expect(request.entityName == "Item" && request.entity == nil)
      let status = try house.context.execute(request) as? NSBatchInsertResult
      #expect(status?.result as? Bool == true)
      #expect(status?.result as? [NSManagedObjectID] == nil)
      request.resultType = .objectIDs
      let copy = try #require(request.copy() as? NSBatchInsertRequest)
      let result = try house.context.execute(copy) as? NSBatchInsertResult
      let ids = try #require(result?.result as? [NSManagedObjectID])
      #expect(ids.map { $0.uriRepresentation().lastPathComponent } == ["p4", "p5"])
      #expect(house.context.object(with: ids[0]).value(forKey: "title") as? String == "a")
    }
  }

  @Test func `A merge notifies a context of inserted objects`() throws {
    try withWarehouse { (house) throws in
      let request = NSBatchInsertRequest(entityName: "Item", objects: [["title": "a"]])
      request.resultType = .objectIDs
      let result = try house.context.execute(request) as? NSBatchInsertResult
      #expect(house.context.registeredObjects.isEmpty)
      #expect(!house.context.hasChanges)
      let merges = LockedCount()
      let observer = NotificationCenter.default.addObserver(
        forName: NSManagedObjectContext.didMergeChangesObjectIDsNotification,
        object: house.context, queue: nil
      ) { notification in
        let ids = notification.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>
        if ids?.count == 1 { merges.increment() }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSInsertedObjectsKey: result?.result ?? []], into: [house.context])
      #expect(merges.value == 1)
    }
  }

  @Test func `The history records an insertion in one transaction`() throws {
    try withWarehouse { (house) throws in
      try house.insert("Item", [["title": "a"], ["title": "b"]])
      #expect(try house.history() == ["insert Item p1", "insert Item p2"])
      #expect(try house.rows("SELECT count(*) FROM ATRANSACTION") == ["1"])
    }
  }

  @Test func `Both coordinators of a file are notified, and no context saves`() throws {
    try withTemporaryDirectory { folder in
      let one = try Warehouse(in: folder, posts: true)
      let other = try Warehouse(in: folder, posts: true)
      let inboxes = [one, other].map { NotificationInbox(of: $0.coordinator) }
      let saves = LockedCount()
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: one.context, queue: nil
      ) { _ in saves.increment() }
      defer { NotificationCenter.default.removeObserver(observer) }
      try one.insert("Item", [["title": "a"]])
      for inbox in inboxes { #expect(inbox.wait()) }
      #expect(inboxes[0].tokens.last == one.token)
      #expect(saves.value == 0)
      #expect(try other.lines("Item", "title") == ["a"])
      #expect(try one.update("Item", nil, ["title": "b"]) == 1)
      for inbox in inboxes { #expect(inbox.wait()) }
      #expect(try one.delete("Item") == 1)
      for inbox in inboxes { #expect(inbox.wait()) }
    }
  }

  @Test func `New objects go to the first of the affected stores`() throws {
    try withTemporaryDirectory { folder in
      let house = try Warehouse(in: folder, ["a", "b"])
      let request = NSBatchInsertRequest(entityName: "Item", objects: [["title": "second"]])
      request.affectedStores = [house.coordinator.persistentStores[1]]
      _ = try house.context.execute(request)
      try house.insert("Item", [["title": "first"]])
      #expect(try house.rows("SELECT ZTITLE FROM ZITEM") == ["first"])
      request.affectedStores = []
      #expect(house.error(request)?.localizedDescription.contains("affectedStores") == true)
    }
  }

  // MARK: Unique values

  private func upsert(_ policy: NSMergePolicy, _ objects: [[String: Any]], in house: Warehouse)
    throws -> [String]
  {
    house.context.mergePolicy = policy
    let request = NSBatchInsertRequest(entityName: "Item", objects: objects)
    request.resultType = .objectIDs
    let result = try house.context.execute(request) as? NSBatchInsertResult
    return try #require(result?.result as? [NSManagedObjectID]).map {
      $0.uriRepresentation().lastPathComponent
    }
  }

  @Test func `An object trump gives the given values to the stored object`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(2)
      let before = house.token
      let ids = try upsert(
        .mergeByPropertyObjectTrump,
        [["code": "c2", "title": "new"], ["code": "c9", "title": "nine"]], in: house)
      #expect(Set(ids) == ["p2", "p4"])
      #expect(
        try house.lines("Item", "code", "title", "count") == ["c1 t1 1", "c2 new 2", "c9 nine 7"])
      #expect(try house.rows("SELECT Z_PK, Z_OPT FROM ZITEM") == ["1 1", "2 2", "4 1"])
      #expect(
        try house.history(after: before) == ["insert Item p4", "update Item p2 code title"])
    }
  }

  @Test func `A store trump and a rollback keep the stored object`() throws {
    for policy in [NSMergePolicy.mergeByPropertyStoreTrump, .rollback] {
      try withWarehouse { (house) throws in
        try house.addItems(1)
        let ids = try upsert(
          policy, [["code": "c1", "title": "new"], ["code": "c2", "title": "two"]], in: house)
        #expect(ids == ["p3"])
        #expect(try house.lines("Item", "code", "title") == ["c1 t1", "c2 two"])
        #expect(try house.rows("SELECT Z_OPT FROM ZITEM") == ["1", "1"])
        let token = house.token
        #expect(try upsert(policy, [["code": "c1", "title": "new"]], in: house).isEmpty)
        #expect(house.token == token)
      }
    }
  }

  @Test func `Overwriting replaces all attributes, and keeps identity and relationships`() throws {
    try withWarehouse { (house) throws in
      let items = try house.addItems(1)
      items[0].setValue(house.add("Shelf", ["name": "top"]), forKey: "shelf")
      try house.context.save()
      #expect(try upsert(.overwrite, [["code": "c1"]], in: house) == ["p1"])
      #expect(
        try house.lines("Item", "code", "title", "count", "shelf.name") == ["c1 nil 7 top"])
    }
  }

  @Test func `Without a policy that decides, equal unique values are refused`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(1)
      let before = house.token
      let objects: [[String: Any]] = [
        ["code": "new", "photo": Data(repeating: 5, count: 200_000)], ["code": "c1"],
      ]
      let error = house.error(NSBatchInsertRequest(entityName: "Item", objects: objects))
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      let message = error?.localizedDescription ?? ""
      #expect(message.contains("Row 1") && message.contains("code"), "\(message)")
      #expect(try house.lines("Item", "code") == ["c1"])
      #expect(house.token == before)
      #expect(house.files().isEmpty)
    }
  }

  @Test func `Duplicates inside one request follow the policy, too`() throws {
    let objects: [[String: Any]] = [
      ["code": "a", "title": "first", "count": 1], ["code": "b"], ["code": "a", "title": "second"],
      ["title": "no code"], ["title": "no code"],
    ]
    try withWarehouse { (house) throws in
      let ids = try upsert(.mergeByPropertyObjectTrump, objects, in: house)
      #expect(ids.count == 4)
      #expect(
        try house.lines("Item", "code", "title", "count") == [
          "a second 1", "b nil 7", "nil no code 7", "nil no code 7",
        ])
      #expect(try house.history().allSatisfy { $0.hasPrefix("insert ") })
    }
    try withWarehouse { (house) throws in
      _ = try upsert(.mergeByPropertyStoreTrump, objects, in: house)
      #expect(try house.lines("Item", "code", "title").first == "a first")
    }
    try withWarehouse { (house) throws in
      let error = house.error(NSBatchInsertRequest(entityName: "Item", objects: objects))
      #expect(error?.localizedDescription.contains("Row 2") == true)
    }
  }

  @Test func `An upsert replaces the file of a large value`() throws {
    try withWarehouse { (house) throws in
      house.add("Item", ["code": "a", "photo": Data(repeating: 1, count: 200_000)])
      try house.context.save()
      let former = house.files()
      let objects: [[String: Any]] = [["code": "a", "photo": Data(repeating: 2, count: 200_000)]]
      #expect(try upsert(.mergeByPropertyObjectTrump, objects, in: house) == ["p1"])
      #expect(house.files().count == 1)
      #expect(house.files() != former)
    }
  }

  @Test func `An upsert changes an object of a subentity, but not of a superentity`() throws {
    try withWarehouse { (house) throws in
      house.add("Item", ["code": "i"])
      house.add("Special", ["code": "s", "size": 1.0])
      try house.context.save()
      _ = try upsert(
        .mergeByPropertyObjectTrump, [["code": "s", "title": "changed"]], in: house)
      #expect(try house.lines("Special", "title", "size") == ["changed 1.0"])
      house.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let request = NSBatchInsertRequest(
        entityName: "Special", objects: [["code": "i", "size": 2.0]])
      #expect(house.error(request)?.code == NSManagedObjectConstraintMergeError)
    }
  }

  // MARK: Refused values

  private let refused: [[String: Any]] = [
    ["nothing": 1], ["title": 1], ["count": "one"], ["shelf": 1], ["tags": ["a"]],
    ["small": 70_000], ["place": ["floor": 1]], ["place": ["x": "far"]], ["price": "1"],
    ["id": "A"], ["link": "https://example.org"], ["day": 5], ["isNew": "yes"],
    ["photo": "bytes"],
  ]

  private func request(_ objects: [[String: Any]], usesHandler: Bool) -> NSBatchInsertRequest {
    guard usesHandler else { return NSBatchInsertRequest(entityName: "Item", objects: objects) }
    var next = 0
    return NSBatchInsertRequest(
      entityName: "Item",
      dictionaryHandler: { dictionary in
        guard next < objects.count else { return true }
        for (key, value) in objects[next] { dictionary[key] = value }
        next += 1
        return false
      })
  }

  @Test func `A value that an attribute cannot have is refused with key, entity and row`() throws {
    try withWarehouse { (house) throws in
      for values in refused {
        let key = values.keys.first ?? "?"
        for usesHandler in [false, true] {
          let error = house.error(request([["title": "good"], values], usesHandler: usesHandler))
          #expect(error?.code == NSManagedObjectValidationError)
          let message = error?.localizedDescription ?? ""
          #expect(
            message.contains("Row 1") && message.contains("Item") && message.contains(key),
            "\(message)")
          #expect((error?.userInfo[NSValidationKeyErrorKey] as? String)?.hasPrefix(key) == true)
        }
      }
      #expect(try house.lines("Item", "title").isEmpty)
    }
  }

  @Test func `An error in a late row undoes the whole request`() throws {
    try withWarehouse { (house) throws in
      var objects: [[String: Any]] = (0..<1000).map { ["count": $0] }
      objects.append(["count": "late"])
      let error = house.error(NSBatchInsertRequest(entityName: "Item", objects: objects))
      #expect(error?.localizedDescription.contains("Row 1000") == true)
      #expect(try house.lines("Item", "title").isEmpty)
      #expect(try house.history().isEmpty)
      try house.insert("Item", [["title": "later"]])
      #expect(try house.rows("SELECT Z_PK FROM ZITEM") == ["1"])
    }
  }

  @Test func `An object handler cannot set relationships`() throws {
    try withWarehouse { (house) throws in
      let shelf = NSManagedObject.instantiate(
        try #require(house.coordinator.managedObjectModel.entitiesByName["Shelf"]))
      let request = NSBatchInsertRequest(
        entityName: "Item",
        managedObjectHandler: { object in
          object.setValue(shelf, forKey: "shelf")
          return false
        })
      #expect(house.error(request)?.localizedDescription.contains("shelf") == true)
    }
  }

  @Test func `Derived attributes are refused, and computed for inserted objects`() throws {
    try withWarehouse { (house) throws in
      let error = house.error(
        NSBatchInsertRequest(entityName: "Shelf", objects: [["itemCount": 1]]))
      #expect(error?.localizedDescription.contains("derived") == true)
      try house.insert("Shelf", [["name": "top"]])
      #expect(try house.lines("Shelf", "name", "itemCount") == ["top 0"])
    }
  }
}
