import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// A store of notes that keeps a history; each method is a save of its own, a second after the one before.
final class Diary {
  let store: SQLiteRowStore
  private let note: RowLayout
  private var seconds = 0.0

  init(in folder: URL, uuid: String = "D", keepsHistory: Bool = true) throws {
    let file = folder.appendingPathComponent("\(uuid).sqlite")
    let layouts = ModelLayouts.of(Self.model())
    let schema = try StoreSchema(layouts: layouts, configuration: nil)
    let connection = try Connection(.file(file.path))
    try connection.set(.journalMode, to: .wal)
    for statement in try schema.creationStatements() { try connection.execute(statement) }
    for row in schema.primaryKeyRows {
      try connection.run(
        "INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)",
        [.integer(Int64(row.number)), .text(row.name), .integer(Int64(row.superNumber))])
    }
    store = try SQLiteRowStore(
      identity: StoreIdentity(uuid: uuid), schema: schema, connection: connection,
      settings: ConnectionSettings(location: .file(file.path)), externalFolder: nil, keepsHistory: keepsHistory)
    note = layouts[0]
  }

  private static func model() -> NSManagedObjectModel {
    let note = NSEntityDescription()
    note.name = "Note"
    let title = attribute("title", .stringAttributeType)
    title.preservesValueInHistoryOnDeletion = true
    let tags = attribute("tags", .transformableAttributeType)
    tags.preservesValueInHistoryOnDeletion = true
    tags.valueTransformerName = "NSSecureUnarchiveFromData"
    note.properties = [title, attribute("body", .stringAttributeType), tags]
    let model = NSManagedObjectModel()
    model.entities = [note]
    return model
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }

  /// The date of the save of a number.
  static func date(ofSave number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number)) }

  @discardableResult
  func insert(_ title: String, tags: [String]? = nil, by author: String? = nil) throws -> Int64 {
    let key = try store.reserveKeys([(note, 1)])[0][0]
    try save(by: author) { changes, row in
      row.key = key
      set("title", title, row)
      if let tags, let data = try AttributeTransformer(self.tags).encode(tags) { set("tags", EncodedValue(data), row) }
      changes.inserted.append(RowChange(layout: note, row: row, changed: OrdinalSet(), expectedVersion: nil))
    }
    return key
  }

  /// Changes the body, and nothing else.
  func update(_ key: Int64, _ body: String, by author: String? = nil) throws {
    try save(by: author) { changes, row in
      row.key = key
      set("body", body, row)
      let ordinals = OrdinalSet([note.ordinal(of: "body")].compactMap(\.self))
      changes.updated.append(RowChange(layout: note, row: row, changed: ordinals, expectedVersion: nil))
    }
  }

  func delete(_ key: Int64, by author: String? = nil) throws {
    try save(by: author) { changes, _ in
      changes.deleted.append(RowDeletion(layout: note, key: key, expectedVersion: nil))
    }
  }

  private var tags: NSAttributeDescription {
    note.entity.attributesByName["tags"] ?? NSAttributeDescription()
  }

  private func set(_ name: String, _ value: Any, _ row: RowReference) {
    guard let ordinal = note.ordinal(of: name), note.setValue(value, ofAttribute: ordinal, in: row) else {
      preconditionFailure("A note has no \(name), or not of this type.")
    }
  }

  private func save(by author: String?, _ body: (inout StoreChanges, RowReference) throws -> Void) throws {
    seconds += 1
    var changes = StoreChanges(
      transaction: TransactionDescription(
        author: author, contextName: "main", bundleID: "tests", processID: "test",
        date: Date(timeIntervalSinceReferenceDate: seconds)))
    let row = note.allocateRow(key: 0)
    defer { note.deallocateRow(row) }
    try body(&changes, row)
    guard case .saved = try store.save(changes) else { preconditionFailure("The save has conflicts.") }
  }
}
