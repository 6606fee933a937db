import Foundation
import ManagedObjectModel
import ObjectRows
import Testing

@Suite struct `Row layouts` {
  private func model() -> NSManagedObjectModel {
    let types: [(String, NSAttributeType)] = [
      ("flag", .booleanAttributeType), ("small", .integer16AttributeType),
      ("middle", .integer32AttributeType),
      ("large", .integer64AttributeType), ("half", .floatAttributeType),
      ("number", .doubleAttributeType),
      ("moment", .dateAttributeType), ("mark", .UUIDAttributeType),
      ("price", .decimalAttributeType),
      ("text", .stringAttributeType), ("bytes", .binaryDataAttributeType),
      ("place", .URIAttributeType),
    ]
    let parent = NSEntityDescription()
    parent.name = "Parent"
    parent.properties = types.map { name, type in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    let child = NSEntityDescription()
    child.name = "Child"
    let extra = NSAttributeDescription()
    extra.name = "aaa"
    extra.attributeType = .stringAttributeType
    child.properties = [extra]
    parent.subentities = [child]
    let model = NSManagedObjectModel()
    model.entities = [parent, child]
    return model
  }

  private let values: [String: NSObject] = [
    "flag": true as NSNumber, "small": -7 as NSNumber, "middle": 70_000 as NSNumber,
    "large": Int64.min as NSNumber,
    "half": 1.5 as NSNumber, "number": Double.pi as NSNumber,
    "moment": Date(timeIntervalSinceReferenceDate: 1) as NSDate,
    "price": NSDecimalNumber(string: "10.11"),
    "text": "a text that does not fit into sixteen bytes" as NSString,
    "mark": UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) as NSUUID,
    "bytes": Data([0, 1, 0xFF]) as NSData,
    "place": URL(fileURLWithPath: "/a place", isDirectory: false) as NSURL,
  ]

  @Test func `Inherited properties keep their ordinals`() throws {
    let model = model()
    let layouts = ModelLayouts.of(model)
    let parent = try #require(layouts[named: "Parent"]),
      child = try #require(layouts[named: "Child"])
    for property in parent.properties {
      #expect(parent.ordinal(of: property.name) == child.ordinal(of: property.name))
    }
    #expect(child.ordinal(of: "aaa") == parent.properties.count)
    #expect(child.rootIndex == parent.index)
  }

  @Test func `Every kind of value, and a missing one, is read back`() throws {
    let model = model()
    let layout = try #require(ModelLayouts.of(model)[named: "Child"])
    let page = RowPage(layout: layout, capacity: 2)
    let row = page.appendRow(key: 5, version: 3)
    for (name, value) in values {
      let ordinal = try #require(layout.ordinal(of: name))
      #expect(layout.value(ofAttribute: ordinal, in: row) == nil)
      #expect(layout.setValue(value, ofAttribute: ordinal, in: row))
    }
    let copy = page.appendRow(copying: row)
    #expect(copy.key == 5 && copy.version == 3)
    for (name, value) in values {
      let ordinal = try #require(layout.ordinal(of: name))
      let read = layout.value(ofAttribute: ordinal, in: copy)
      #expect(
        (read as? NSObject ?? (read as AnyObject?) as? NSObject)?.isEqual(value) == true, "\(name)")
      #expect(layout.isEqual(ordinal, in: row, and: copy))
      #expect(layout.setValue(nil, ofAttribute: ordinal, in: copy))
      #expect(layout.value(ofAttribute: ordinal, in: copy) == nil)
      #expect(!layout.isEqual(ordinal, in: row, and: copy))
    }
    let place = try #require(layout.ordinal(of: "text"))
    #expect(!layout.setValue(5, ofAttribute: place, in: row))
  }

  @Test func `Two spellings of a text are different values`() throws {
    let model = model()
    let layout = try #require(ModelLayouts.of(model)[named: "Parent"])
    let ordinal = try #require(layout.ordinal(of: "text"))
    let (one, other) = (layout.allocateRow(key: 1), layout.allocateRow(key: 1))
    defer {
      layout.deallocateRow(one)
      layout.deallocateRow(other)
    }
    let long = String(repeating: "x", count: 20)
    for start in ["", long] {
      #expect(layout.setValue(start + "e\u{301}", ofAttribute: ordinal, in: one))
      #expect(layout.setValue(start + "\u{E9}", ofAttribute: ordinal, in: other))
      #expect(!layout.isEqual(ordinal, in: one, and: other))
      #expect(layout.setValue(start + "e\u{301}", ofAttribute: ordinal, in: other))
      #expect(layout.isEqual(ordinal, in: one, and: other))
    }
  }

  @Test func `A row keeps its references when it moves to a page`() throws {
    final class Watched {}
    let model = model()
    let attribute = NSAttributeDescription()
    attribute.name = "zbox"
    attribute.attributeType = .transformableAttributeType
    model.entities[0].properties.append(attribute)
    let layout = try #require(ModelLayouts.of(model)[named: "Parent"])
    let (text, box) = (
      try #require(layout.ordinal(of: "text")), try #require(layout.ordinal(of: "zbox"))
    )
    weak var watched: Watched?
    var page: RowPage? = RowPage(layout: layout, capacity: 1)
    do {
      let row = layout.allocateRow(key: 7, version: 2)
      #expect(layout.setValue(values["text"], ofAttribute: text, in: row))
      let value = Watched()
      watched = value
      layout.slots[box].store(Optional<BoxedValue>.some(DecodedValue(value)), in: row)
      let moved = try #require(page?.appendRow(moving: row))
      #expect(moved.key == 7 && moved.version == 2 && page?.isFull == true)
      #expect(layout.value(ofAttribute: text, in: moved) as? String == values["text"] as? String)
    }
    #expect(watched != nil)
    page = nil
    #expect(watched == nil)
  }
}
