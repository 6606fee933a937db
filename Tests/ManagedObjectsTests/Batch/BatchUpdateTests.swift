import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

@Suite struct BatchUpdateTests {
  private typealias Expression = PredicateLanguage.NSExpression

  private func withWarehouse(_ body: (Warehouse) throws -> Void) throws {
    try withTemporaryDirectory { try body(Warehouse(in: $0)) }
  }

  // MARK: Values

  @Test func `Constants of every type are written`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(2)
      let id = UUID()
      let day = Date(timeIntervalSinceReferenceDate: 1000)
      let values: [AnyHashable: Any] = [
        "title": "new", "count": 5, "small": Int16(3), "middle": Int32(70_000), "isNew": true,
        "price": NSDecimalNumber(string: "10.11"), "day": day, "id": id, "weight": 1.5 as Float,
        "link": URL(string: "https://example.org/a") as Any, "data": Data([1, 2]),
        "photo": Data([3]), "colour": ["red"], "place": ["hall": "A", "x": 2.5],
      ]
      #expect(try house.update("Item", "count == 1", values) == 1)
      let item = try #require(
        try house.otherContext().fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")).first {
          $0.value(forKey: "title") as? String == "new"
        })
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
      #expect(item.value(forKey: "photo") as? Data == Data([3]))
      #expect(item.value(forKey: "colour") as? [String] == ["red"])
      #expect(item.value(forKeyPath: "place.hall") as? String == "A")
      #expect(item.value(forKeyPath: "place.x") as? Double == 2.5)
      #expect(try house.lines("Item", "title") == ["new", "t2"])
    }
  }

  @Test func `Null clears a value, also of a required attribute`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(2)
      let values: [AnyHashable: Any] = [
        "title": NSNull(), "count": Int?.none as Any, "needed": NSNull(),
        "colour": Expression(forConstantValue: nil),
      ]
      #expect(try house.update("Item", "count == 1", values) == 1)
      #expect(
        try house.lines("Item", "title", "count", "needed", "colour") == [
          "nil nil nil nil", "t2 2 yes nil",
        ])
    }
  }

  @Test func `Expressions are computed from each object`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(3)
      let values: [AnyHashable: Any] = [
        "count": Expression(format: "count * 10 + 1"),
        "title": Expression(format: "uppercase:(title)"),
        "weight": Expression(format: "count / 2.0"),
        "isNew": Expression(format: "TERNARY(count > 1, 1, 0)"),
      ]
      #expect(try house.update("Item", "count < 3", values) == 2)
      #expect(
        try house.rows("SELECT ZTITLE, ZCOUNT, ZWEIGHT, ZISNEW FROM ZITEM ORDER BY 1") == [
          "T1 11 0.5 0", "T2 21 1.0 1", "t3 3 nil nil",
        ])
    }
  }

  @Test func `A floating-point expression gives a whole number its integer part`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(3)
      let values: [AnyHashable: Any] = [
        "count": Expression(format: "count * 1.5"), "small": Expression(format: "count * 2.5"),
      ]
      #expect(try house.update("Item", nil, values) == 3)
      #expect(
        try house.rows("SELECT ZCOUNT, ZSMALL FROM ZITEM ORDER BY 1") == ["1 2", "3 5", "4 7"])
      // The smallest number of 64 bits, as a floating-point number.
      let smallest = Expression(format: "0 - count * 9223372036854775808.0")
      #expect(try house.update("Item", "count == 1", ["count": smallest]) == 1)
      #expect(
        try house.rows("SELECT ZCOUNT FROM ZITEM ORDER BY 1") == ["\(Int64.min)", "3", "4"])
    }
  }

  @Test func `The largest and the smallest whole numbers are written`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(1)
      for number in [Int64.max, Int64.min] {
        #expect(try house.update("Item", nil, ["count": NSNumber(value: number)]) == 1)
        #expect(try house.rows("SELECT ZCOUNT FROM ZITEM") == ["\(number)"])
      }
    }
  }

  @Test func `Expressions over related objects see the values from before the update`() throws {
    try withWarehouse { (house) throws in
      let owner = house.add("Owner", ["name": "Ann"])
      let shelf = house.add("Shelf", ["name": "top", "owner": owner])
      house.add("Shelf", ["name": "low"])
      for title in ["a", "b"] { house.add("Item", ["title": title, "shelf": shelf]) }
      try house.context.save()
      #expect(try house.update("Item", nil, ["title": Expression(format: "shelf.owner.name")]) == 2)
      #expect(try house.lines("Item", "title") == ["Ann", "Ann"])
      #expect(
        try house.update("Item", nil, ["count": Expression(format: "shelf.items.@count")]) == 2)
      #expect(try house.lines("Item", "count") == ["2", "2"])
      #expect(try house.update("Shelf", nil, ["name": Expression(format: "owner.name")]) == 2)
      #expect(try house.lines("Shelf", "name") == ["Ann", "nil"])
    }
  }

  @Test func `An element of a composite attribute is set by its path`() throws {
    try withWarehouse { (house) throws in
      house.add("Item", ["place": ["hall": "A", "x": 1.0]])
      try house.context.save()
      let values: [AnyHashable: Any] = [
        "place.hall": "B", "place.x": Expression(format: "place.x + 1"),
      ]
      #expect(try house.update("Item", "place.hall == 'A'", values) == 1)
      #expect(try house.lines("Item", "place.hall", "place.x") == ["B 2.0"])
      #expect(try house.update("Item", nil, ["place.x": NSNull()]) == 1)
      #expect(try house.lines("Item", "place.hall", "place.x") == ["B nil"])
    }
  }

  @Test func `A property is named by its description, too`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(1)
      let model = house.coordinator.managedObjectModel
      let count = try #require(model.entitiesByName["Item"]?.attributesByName["count"])
      #expect(try house.update("Item", nil, [count: 8]) == 1)
      #expect(try house.lines("Item", "count") == ["8"])
    }
  }

  // MARK: Updated rows

  @Test func `Subentities are updated unless the request excludes them`() throws {
    try withWarehouse { (house) throws in
      house.add("Item", ["title": "i"])
      house.add("Special", ["title": "s", "size": 1.0])
      try house.context.save()
      let request = house.updateRequest("Item", nil, ["count": 1])
      #expect(request.includesSubentities)
      request.includesSubentities = false
      _ = try house.context.execute(request)
      #expect(try house.lines("Item", "title", "count") == ["i 1", "s 7"])
      #expect(try house.update("Item", nil, ["count": 2]) == 2)
      #expect(try house.update("Special", nil, ["size": 3.0, "count": 3]) == 1)
      #expect(try house.lines("Item", "title", "count") == ["i 2", "s 3"])
    }
  }

  @Test func `A result has the requested type`() throws {
    try withWarehouse { (house) throws in
      let items = try house.addItems(2)
      let request = house.updateRequest("Item", nil, ["count": 4])
      #expect(request.requestType == .batchUpdateRequestType)
      let status = try house.context.execute(request) as? NSBatchUpdateResult
      #expect(status?.result as? Bool == true)
      #expect(status?.resultType == .statusOnlyResultType)
      request.resultType = .updatedObjectIDsResultType
      let copy = try #require(request.copy() as? NSBatchUpdateRequest)
      let result = try house.context.execute(copy) as? NSBatchUpdateResult
      #expect(result?.result as? [NSManagedObjectID] == items.map(\.objectID))
      #expect(NSBatchUpdateRequest(entity: items[0].entity).entity === items[0].entity)
      #expect(NSBatchUpdateRequest(entity: items[0].entity).entityName == "Item")
    }
  }

  // MARK: Versions, history, files

  @Test func `Versions increase, and the history names the updated properties`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(3)
      house.add("Special", ["title": "s", "count": 1])
      try house.context.save()
      let before = house.token
      #expect(try house.update("Item", "count < 3", ["isNew": true, "small": 1]) == 3)
      #expect(
        try house.rows("SELECT Z_PK, Z_OPT FROM ZITEM ORDER BY 1") == ["1 2", "2 2", "3 1", "4 2"])
      #expect(
        try house.history(after: before) == [
          "update Item p1 isNew small", "update Item p2 isNew small",
          "update Special p4 isNew small",
        ])
      let after = house.token
      #expect(try house.update("Item", "count > 99", ["isNew": false]) == 0)
      #expect(house.token == after)
    }
  }

  @Test func `A context that changed an updated object gets a conflict`() throws {
    try withWarehouse { (house) throws in
      let items = try house.addItems(1)
      items[0].setValue("mine", forKey: "title")
      #expect(try house.update("Item", nil, ["count": 50]) == 1)
      let error = #expect(throws: (any Error).self) { try house.context.save() }
      #expect(error.map { ($0 as NSError).code } == NSManagedObjectMergeError)
      house.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try house.context.save()
      #expect(try house.lines("Item", "title", "count") == ["mine 50"])
    }
  }

  @Test func `Contexts see new values after a merge, and the cache forgets the old ones`() throws {
    try withWarehouse { (house) throws in
      let items = try house.addItems(1)
      let request = house.updateRequest("Item", nil, ["count": 50])
      request.resultType = .updatedObjectIDsResultType
      let result = try house.context.execute(request) as? NSBatchUpdateResult
      #expect(items[0].value(forKey: "count") as? Int == 1)
      let late = try house.otherContext().existingObject(with: items[0].objectID)
      #expect(late.value(forKey: "count") as? Int == 50)
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectsKey: result?.result ?? []], into: [house.context])
      #expect(items[0].value(forKey: "count") as? Int == 50)
    }
  }

  @Test func `Each object gets its own file for a large value`() throws {
    try withWarehouse { (house) throws in
      for number in 1...3 {
        house.add(
          "Item", ["count": number, "photo": Data(repeating: UInt8(number), count: 200_000)])
      }
      try house.context.save()
      let former = house.files()
      let large = Data(repeating: 9, count: 150_000)
      #expect(try house.update("Item", "count < 3", ["photo": large]) == 2)
      #expect(house.files().count == 3)
      #expect(Set(former).intersection(house.files()).count == 1)
      #expect(try house.delete("Item", "count == 1") == 1)
      let photos = try house.otherContext().fetch(
        NSFetchRequest<NSManagedObject>(entityName: "Item")
      )
      .compactMap { $0.value(forKey: "photo") as? Data }
      #expect(Set(photos) == [large, Data(repeating: 3, count: 200_000)])
      #expect(try house.update("Item", nil, ["photo": NSNull()]) == 2)
      #expect(house.files().isEmpty)
    }
  }

  @Test func `An update of an entity removes the files of its subentities' objects`() throws {
    try withWarehouse { (house) throws in
      house.add("Special", ["photo": Data(repeating: 1, count: 200_000)])
      try house.context.save()
      #expect(house.files().count == 1)
      #expect(try house.update("Item", nil, ["photo": NSNull()]) == 1)
      #expect(house.files().isEmpty)
    }
  }

  @Test func `A failed update removes the files that it wrote`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(2)
      let values: [AnyHashable: Any] = [
        "photo": Data(repeating: 9, count: 150_000), "code": "same",
      ]
      #expect(
        house.error(house.updateRequest("Item", nil, values))?.code
          == NSManagedObjectConstraintMergeError)
      #expect(house.files().isEmpty)
    }
  }

  // MARK: Unique values

  @Test func `Objects may exchange unique values`() throws {
    try withWarehouse { (house) throws in
      for code in ["x", "xx", "xxx"] { house.add("Item", ["code": code]) }
      try house.context.save()
      let values: [AnyHashable: Any] = [
        "code": Expression(format: "TERNARY(code == 'x', 'xx', TERNARY(code == 'xx', 'x', code))"),
        "title": Expression(format: "code"),
      ]
      #expect(try house.update("Item", nil, values) == 3)
      #expect(try house.lines("Item", "code", "title") == ["x xx", "xx x", "xxx xxx"])
    }
  }

  @Test func `Elements that an update does not set keep their unique values`() throws {
    let model = Warehouse.model()
    let item = try #require(model.entitiesByName["Item"])
    item.uniquenessConstraints = [["code"], ["place.hall"]]
    try withTemporaryDirectory { folder in
      let house = try Warehouse(in: folder, model: model)
      for code in ["x", "xx"] { house.add("Item", ["code": code, "place": ["hall": code]]) }
      try house.context.save()
      let values: [AnyHashable: Any] = [
        "code": Expression(format: "TERNARY(code == 'x', 'xx', 'x')"), "place.x": 1.0,
      ]
      #expect(try house.update("Item", nil, values) == 2)
      #expect(try house.lines("Item", "code", "place.hall") == ["x xx", "xx x"])
    }
  }

  @Test func `Equal unique values are refused, and nothing is updated`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(3)
      let before = house.token
      let error = house.error(house.updateRequest("Item", nil, ["code": "same", "count": 0]))
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      #expect(error?.localizedDescription.contains("(code)") == true)
      #expect(try house.lines("Item", "code", "count") == ["c1 1", "c2 2", "c3 3"])
      #expect(house.token == before)
      #expect(try house.update("Item", "count == 1", ["code": "same"]) == 1)
    }
  }

  // MARK: Refused values

  private let refused: [[String: Any]] = [
    ["nothing": 1], ["title": 1], ["count": "one"], ["shelf": NSNull()], ["memo": "m"],
    ["small": 70_000], ["place": ["floor": 1]], ["place.floor": 1], ["place.x": "far"],
    ["photo": Expression(format: "data")], ["title": Expression(format: "count + 1")],
    ["title": Expression(format: "missing")], ["small": Expression(format: "count + 70000")],
    ["small": Expression(format: "count * 70000.5")],
    ["count": Expression(format: "count * 9223372036854775808.0")],
    ["count": 1e30], ["count": -1e30], ["count": 0x1p63], ["count": UInt64.max],
    ["small": 1e30],
  ]

  @Test func `A value that an attribute cannot have is refused with its name`() throws {
    try withWarehouse { (house) throws in
      try house.addItems(1)
      for values in refused {
        let error = house.error(house.updateRequest("Item", nil, values as [AnyHashable: Any]))
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSManagedObjectValidationError)
        let message = error?.localizedDescription ?? ""
        #expect(
          message.contains("Item") && message.contains(values.keys.first ?? "?"), "\(message)")
      }
      #expect(try house.rows("SELECT Z_OPT, ZCOUNT, ZTITLE FROM ZITEM") == ["1 1 t1"])
    }
  }

  @Test func `Derived attributes are refused, and follow an update`() throws {
    try withWarehouse { (house) throws in
      let shelf = house.add("Shelf", ["name": "top"])
      house.add("Item", ["shelf": shelf])
      try house.context.save()
      let error = house.error(house.updateRequest("Shelf", nil, ["itemCount": 9]))
      #expect(error?.localizedDescription.contains("itemCount") == true)
      #expect(try house.update("Shelf", nil, ["name": "low"]) == 1)
      #expect(try house.lines("Shelf", "name", "itemCount") == ["low 1"])
    }
  }

  @Test func `A request without values is refused`() throws {
    try withWarehouse { (house) throws in
      let error = house.error(NSBatchUpdateRequest(entityName: "Item"))
      #expect(error?.localizedDescription.contains("propertiesToUpdate") == true)
    }
  }

  @Test func `A predicate that has no SQL is refused`() throws {
    try withWarehouse { (house) throws in
      let request = house.updateRequest("Item", nil, ["count": 1])
      request.predicate = NSPredicate { _, _ in true }
      #expect(house.error(request)?.domain == NSCocoaErrorDomain)
    }
  }

  // MARK: Any update

  @Test func `Random updates compute the same numbers as Swift`() throws {
    var random = SeededGenerator.forTest()
    try withTemporaryDirectory { folder in
      let house = try Warehouse(in: folder)
      try house.addItems(20)
      var counts = (1...20).map { $0 }
      for _ in 1...30 {
        let (low, factor, term) = (
          Int.random(in: -20...40, using: &random), Int.random(in: -2...2, using: &random),
          Int.random(in: -9...9, using: &random)
        )
        let expression = Expression(format: "count * \(factor) + \(term)")
        let matched = counts.filter { $0 >= low }.count
        let updated = try house.update("Item", "count >= \(low)", ["count": expression])
        #expect(updated == matched, "\(random)")
        counts = counts.map { $0 >= low ? $0 * factor + term : $0 }
        #expect(
          try house.rows("SELECT ZCOUNT FROM ZITEM ORDER BY Z_PK") == counts.map(String.init),
          "\(random)")
      }
    }
  }
}
