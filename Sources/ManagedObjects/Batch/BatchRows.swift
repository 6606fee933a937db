import Foundation
import ManagedObjectModel
import ObjectRows

/// The rows of a batch insertion, some at a time, from dictionaries or closures.
final class BatchRows {
  enum Source {
    case dictionaries([[String: Any]])
    case handler((NSMutableDictionary) -> Bool)
    case objects((NSManagedObject) -> Bool)
  }

  private let layout: RowLayout
  private let values: BatchValues
  private let source: Source
  private let defaults: RowReference
  /// The page with the rows of the last call.
  private var page: RowPage?
  private var rowCount = 0
  private var isAtEnd = false

  init(_ layout: RowLayout, _ source: Source) {
    self.layout = layout
    self.source = source
    values = BatchValues(layout: layout)
    defaults = layout.blueprint.defaults
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
      let object = NSManagedObject.instantiate(layout.entity)
      if handler(object) { return nil }
      return try row(of: object, on: page)
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

  private func row(of object: NSManagedObject, on page: RowPage) throws -> BatchRow {
    let row = page.appendRow(copying: defaults)
    var given = OrdinalSet()
    try refusing {
      for (ordinal, property) in layout.properties.enumerated() {
        if property is NSRelationshipDescription {
          try checkEmpty(ordinal, property, of: object)
          continue
        }
        let slot = layout.slot(ordinal)
        guard slot.kind != .none, slot.isStored, isGiven(ordinal, by: object),
          !(property is NSDerivedAttributeDescription)
        else { continue }
        let value = object.currentValue(ordinal) ?? NSNull()
        if let ordinal = try values.set(property.name, to: value, in: row) {
          given.insert(ordinal)
        }
      }
    }
    return BatchRow(row: row, given: given)
  }

  /// Whether the closure has set an attribute.
  private func isGiven(_ ordinal: Int, by object: NSManagedObject) -> Bool {
    object.state?.changed.contains(ordinal) == true
      || !layout.isEqual(ordinal, in: object.row, and: defaults)
  }

  private func checkEmpty(
    _ ordinal: Int, _ property: NSPropertyDescription, of object: NSManagedObject
  ) throws {
    let isEmpty =
      object.state?.destinations[ordinal] == nil
      && object.state?.members[ordinal]?.objects.isEmpty ?? true
    guard !isEmpty else { return }
    _ = try values.attribute(ordinal, property.name)
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
