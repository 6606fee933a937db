import Foundation
import ManagedObjectModel
import ManagedObjects
import ModelSource
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// A fixture store that Apple's framework wrote, with its model.
struct AppleStore: CustomTestStringConvertible, Sendable {
  let name: String

  var testDescription: String { name }

  /// Every store in the folder.
  static let all: [AppleStore] = {
    guard let folder = Fixtures.coreData?.appendingPathComponent("stores").path else { return [] }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted().map {
      AppleStore(name: $0)
    }
  }()

  /// The stores whose model is neither in the file nor in the fixtures.
  static let withoutModel: Set<String> = ["RestKit__RKSeedDatabase.sqlite", "plaso__kik.sqlite"]

  static let withModel = all.filter { !withoutModel.contains($0.name) }

  /// Runs a closure with the URL of a copy of the store.
  func withCopy<Result>(_ body: (URL) throws -> Result) throws -> Result {
    try withTemporaryDirectory { folder in
      let source = try Fixtures.url("stores/\(name)")
      for suffix in ["", "-wal", "-shm"]
      where FileManager.default.fileExists(atPath: source.path + suffix) {
        try Data(contentsOf: URL(fileURLWithPath: source.path + suffix))
          .write(to: folder.appendingPathComponent(name + suffix))
      }
      return try body(folder.appendingPathComponent(name))
    }
  }

  /// The store's copy of its model, or else the fixtures' version with its hashes.
  func model(for url: URL) throws -> NSManagedObjectModel {
    let snapshot = try StoreSnapshot(at: url)
    if let model = try snapshot.storedModel().model { return model }
    let folder = try Fixtures.url("models")
    for bundle in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    where bundle.hasSuffix(".xcdatamodeld") {
      let versions = try ModelBundle(contentsOf: folder.appendingPathComponent(bundle)).versions
      if let found = versions.first(where: { snapshot.differences(from: $0.model).isEmpty }) {
        return found.model
      }
    }
    throw CocoaError(.fileNoSuchFile, userInfo: [NSLocalizedDescriptionKey: "no model for \(name)"])
  }

  /// A coordinator with the store, which continues its history if it has one.
  func coordinator(_ url: URL, options: [String: Any] = [:]) throws -> NSPersistentStoreCoordinator
  {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model(for: url))
    var options = options
    if try StoreSnapshot(at: url).history() != nil {
      options[NSPersistentHistoryTrackingKey] = true
    }
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    return coordinator
  }
}

/// A store in plain SQL, without any knowledge of the assignment of columns.
struct PlainStore {
  let connection: Connection
  private let columns: [String: [String]]

  init(_ url: URL) throws {
    connection = try Connection(.file(url.path), options: .readOnly)
    var columns: [String: [String]] = [:]
    let pairs = try connection.rows(
      "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY t.name, c.cid"
    )
    for case (.text(let table)?, .text(let column)?) in pairs.map({ ($0.first, $0.last) }) {
      columns[table, default: []].append(column)
    }
    self.columns = columns
  }

  /// The table of an entity, which is its root's.
  func table(of entity: NSEntityDescription) -> String {
    var root = entity
    while let above = root.superentity { root = above }
    return "Z\((root.name ?? "").uppercased())"
  }

  /// The possible columns of a property: its name, with a number if several properties share it.
  func candidates(_ property: String, in table: String) -> [String] {
    let name = "Z\(property.uppercased())"
    return (columns[table] ?? []).filter {
      $0 == name || ($0.hasPrefix(name) && Int($0.dropFirst(name.count)) != nil)
    }
  }

  /// The rows of an entity without subentities: values by key and column.
  func rows(of entity: NSEntityDescription) throws -> [Int64: [String: Value]] {
    let table = table(of: entity)
    guard
      case .integer(let number)? = try connection.value(
        "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = ?", [.text(entity.name ?? "")])
    else { return [:] }
    let names = columns[table] ?? []
    var rows: [Int64: [String: Value]] = [:]
    for row in try connection.rows("SELECT * FROM \(table) WHERE Z_ENT = \(number)") {
      let values = Dictionary(zip(names, row), uniquingKeysWith: { first, _ in first })
      if case .integer(let key)? = values["Z_PK"] { rows[key] = values }
    }
    return rows
  }

  /// The join table of a many-to-many relationship with its columns for owner and member, or nil if
  /// the names are ambiguous.
  func joinTable(_ relationship: NSRelationshipDescription) -> (
    table: String, owner: String, member: String
  )? {
    guard let inverse = relationship.inverseRelationship, inverse !== relationship else {
      return nil
    }
    let found = columns.sorted { $0.key < $1.key }.compactMap {
      table, names -> (String, String, String)? in
      let owner = names.filter { isColumn($0, of: inverse.name) }
      let member = names.filter { isColumn($0, of: relationship.name) }
      return owner.count == 1 && member.count == 1 ? (table, owner[0], member[0]) : nil
    }
    return found.count == 1 ? found[0] : nil
  }

  private func isColumn(_ column: String, of relationship: String) -> Bool {
    guard column.hasPrefix("Z_"), column.hasSuffix(relationship.uppercased()) else { return false }
    return Int(column.dropFirst(2).dropLast(relationship.count)) != nil
  }

  /// The whole file as text: its schema, and every row of every table.
  func contents() throws -> (schema: [[SQLiteDriver.Value]], rows: [String: [[SQLiteDriver.Value]]])
  {
    let schema = try connection.rows("SELECT sql FROM sqlite_schema ORDER BY rowid")
    var rows: [String: [[SQLiteDriver.Value]]] = [:]
    for table in columns.keys.sorted() {
      rows[table] = try connection.rows("SELECT rowid, * FROM \"\(table)\" ORDER BY rowid")
    }
    return (schema, rows)
  }
}
