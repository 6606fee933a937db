import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import SQLiteStore

/// A store of notes that keeps a history.
///
/// Each method makes one save, a second after the previous one.
// Sendable: a test uses the store on one thread at a time.
final class HistoryNotes: @unchecked Sendable {
  let store: SQLiteRowStore
  private let note: RowLayout
  private var seconds = 0.0
  /// The source of saves' dates, in place of consecutive seconds.
  var clock: (() -> Date)?

  /// Creates or opens the store.
  ///
  /// - Parameter digit: The last digit of the store's UUID.
  init(in folder: URL, digit: Character = "D", keepsHistory: Bool = true) throws {
    let layouts = ModelLayouts.of(Self.model())
    var options = StoreOptions()
    options.tracksHistory = keepsHistory
    let uuid = Self.uuid(digit)
    options.makeUUID = { UUID(uuidString: uuid) ?? UUID() }
    let file = folder.appendingPathComponent("\(digit).sqlite")
    store = try SQLiteRowStore(StoreOpening(url: file, layouts: layouts, options: options).run())
    note = layouts[0]
  }

  static func uuid(_ digit: Character) -> String { "00000000-0000-0000-0000-00000000000\(digit)" }

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

  /// The date of a save, given its number.
  static func date(ofSave number: Int) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(number))
  }

  @discardableResult
  func insert(_ title: String, tags: [String]? = nil, by author: String? = nil) throws -> Int64 {
    let key = try store.reserveKeys([(note, 1)], forSave: true)[0][0]
    try save(by: author) { changes, row in
      row.key = key
      set("title", title, row)
      if let tags, let data = try AttributeTransformer(self.tags).encode(tags) {
        set("tags", EncodedValue(data), row)
      }
      changes.inserted.append(
        RowChange(layout: note, row: row, changed: OrdinalSet(), expectedVersion: nil))
    }
    return key
  }

  /// Changes only the body.
  func update(_ key: Int64, _ body: String, by author: String? = nil) throws {
    try save(by: author) { changes, row in
      row.key = key
      set("body", body, row)
      let ordinals = OrdinalSet([note.ordinal(of: "body")].compactMap(\.self))
      changes.updated.append(
        RowChange(layout: note, row: row, changed: ordinals, expectedVersion: nil))
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
    guard let ordinal = note.ordinal(of: name), note.setValue(value, ofAttribute: ordinal, in: row)
    else {
      preconditionFailure("A note has no \(name), or not of this type.")
    }
  }

  private func save(by author: String?, _ body: (inout StoreChanges, RowReference) throws -> Void)
    throws
  {
    seconds += 1
    var changes = StoreChanges(
      transaction: TransactionDescription(
        author: author, contextName: "main", bundleID: "tests", processID: "test",
        date: clock?() ?? Date(timeIntervalSinceReferenceDate: seconds)))
    let row = note.allocateRow(key: 0)
    defer { note.deallocateRow(row) }
    try body(&changes, row)
    guard case .saved = try store.save(changes) else {
      preconditionFailure("The save has conflicts.")
    }
  }
}
