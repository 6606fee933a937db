import Foundation
import ManagedObjectModel
import ObjectRows

/// The rows of a batch insertion, one page at a time, from dictionaries or closures.
final class BatchRows {
  enum Source {
    case dictionaries([[String: Any]])
    case handler((NSMutableDictionary) -> Bool)
    case objects((NSManagedObject) -> Bool)
  }

  private let layout: RowLayout
  private let values: BatchValues
  private let source: Source
  /// A page with the row of default values.
  private let defaultPage: RowPage
  private let defaults: RowReference
  /// Whether the store needs to know which attributes were given.
  private let needsGiven: Bool
  private let relationships: [Int]
  /// The stored attributes with boxed values, which must be checked and converted.
  private let boxed: [Int]
  /// The page with the rows of the last call of `next()`, which do not retain it.
  private var page: RowPage?
  private var rowCount = 0
  private var isAtEnd = false
  /// The object that the closure filled last, for reuse.
  private var spare: NSManagedObject?

  init(_ layout: RowLayout, _ source: Source, needsGiven: Bool) throws {
    self.layout = layout
    self.source = source
    self.needsGiven = needsGiven
    values = BatchValues(layout: layout)
    defaultPage = RowPage(layout: layout, capacity: 1)
    defaults = defaultPage.appendRow(copying: layout.blueprint.defaults)
    let properties = layout.properties
    relationships = properties.indices.filter { properties[$0] is NSRelationshipDescription }
    boxed = properties.indices.filter {
      layout.slots[$0].kind == .boxed && layout.slots[$0].isStored
    }
    for ordinal in boxed {
      guard let attribute = properties[ordinal] as? NSAttributeDescription,
        let value = attribute.defaultValue
      else { continue }
      // Transformable values become bytes.
      _ = try values.set(attribute.name, to: value, in: defaults)
    }
  }

  /// The next rows; none at the end.
  func next() throws -> ContiguousArray<BatchRow> {
    var rows: ContiguousArray<BatchRow> = []
    guard !isAtEnd else {
      page = nil
      return rows
    }
    let page = RowPage(layout: layout, capacity: Limits.rowsOfBatch)
    self.page = page
    rows.reserveCapacity(Limits.rowsOfBatch)
    while !page.isFull, let row = try nextRow(on: page) {
      rows.append(row)
      rowCount += 1
    }
    isAtEnd = !page.isFull
    return rows
  }

  private func nextRow(on page: RowPage) throws -> BatchRow? {
    switch source {
    case .dictionaries(let dictionaries):
      guard rowCount < dictionaries.count else { return nil }
      return try row(of: dictionaries[rowCount], on: page)
    case .handler(let handler):
      let dictionary = NSMutableDictionary()
      if handler(dictionary) { return nil }
      return try row(of: dictionary, on: page)
    case .objects(let handler):
      var object = newObject()
      if handler(object) { return nil }
      let row = try row(of: object, on: page)
      // A closure that has kept the object must not see the values of the next row.
      if isKnownUniquelyReferenced(&object), object.startOver() { spare = object }
      return row
    }
  }

  // MARK: Dictionaries

  private func row(of dictionary: [String: Any], on page: RowPage) throws -> BatchRow {
    let row = page.appendRow(copying: defaults)
    var given = OrdinalSet()
    try refusing {
      for (key, value) in dictionary {
        if let ordinal = try values.set(key, to: value, in: row) { given.insert(ordinal) }
      }
    }
    return BatchRow(row: row, given: given)
  }

  private func row(of dictionary: NSMutableDictionary, on page: RowPage) throws -> BatchRow {
    let row = page.appendRow(copying: defaults)
    var given = OrdinalSet()
    try refusing {
      for (key, value) in dictionary {
        let key = key as? String ?? "\(key)"
        if let ordinal = try values.set(key, to: value, in: row) { given.insert(ordinal) }
      }
    }
    return BatchRow(row: row, given: given)
  }

  // MARK: Objects

  /// An object with the default values.
  ///
  /// It belongs to no context, so it is writable at once: its former values need not be recorded.
  private func newObject() -> NSManagedObject {
    if let spare {
      self.spare = nil
      return spare
    }
    let object = NSManagedObject.instantiate(layout)
    object.flags.insert(.writable)
    return object
  }

  private func row(of object: NSManagedObject, on page: RowPage) throws -> BatchRow {
    let row = page.appendRow(copying: object.row)
    try refusing {
      for ordinal in relationships { try checkEmpty(ordinal, of: object) }
      for ordinal in boxed where isGiven(ordinal, by: object) {
        let value = object.currentValue(ordinal) ?? NSNull()
        _ = try values.set(layout.properties[ordinal].name, to: value, in: row)
      }
    }
    guard needsGiven else { return BatchRow(row: row, given: OrdinalSet()) }
    return BatchRow(
      row: row, given: OrdinalSet(layout.properties.indices.filter { isGiven($0, by: object) }))
  }

  /// Whether the closure has set an attribute.
  private func isGiven(_ ordinal: Int, by object: NSManagedObject) -> Bool {
    object.state?.changed.contains(ordinal) == true
      || !layout.isEqual(ordinal, in: object.row, and: defaults)
  }

  private func checkEmpty(_ ordinal: Int, of object: NSManagedObject) throws {
    let isEmpty =
      object.state?.destinations[ordinal] == nil
      && object.state?.members[ordinal]?.objects.isEmpty ?? true
    guard !isEmpty else { return }
    _ = try values.attribute(ordinal, layout.properties[ordinal].name)
  }

  // MARK: Errors

  /// Names the row in errors about values.
  private func refusing(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let refusal as BatchValues.Refusal {
      throw BatchError.value(refusal.key, layout, row: rowCount, refusal.reason)
    }
  }
}
