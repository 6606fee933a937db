import Foundation
import ManagedObjectModel
import MirrorLedger
import ObjectRows
import SQLiteDriver
import SQLiteStore

extension StoreCommands {
  /// The command `parhelion store inspect`.
  package static let inspect = Command(
    "store inspect",
    "Describe a store: its framework, entities, and numbers of objects.",
    operands: ["FILE"], options: [modelOption, .json], discussion: forms
  ) { invocation, console in
    let snapshot = try snapshot(invocation)
    let model = try model(for: snapshot, named: invocation.value(of: "--model"), console)
    if model == nil {
      console.report(
        "\(try reasonWithoutModel(snapshot)) Join tables cannot be distinguished from others.")
    }
    do {
      let document = try StoreDocument(snapshot, model: model?.0, origin: model?.origin)
      if invocation.has("--json") {
        try console.writeJSON(document)
      } else {
        try console.write(document.text)
      }
    } catch let error as StoreError {
      throw CommandError(error.message)
    } catch let error as SQLiteError {
      throw CommandError(StoreError(error, at: snapshot.location).message)
    }
    return .success
  }
}

/// A description of a store, as a JSON document.
struct StoreDocument: Encodable {
  struct Store: Encodable {
    let uuid: String
    let framework: Int?
    let bytes: Int64
    let logBytes: Int64
    let journal: String
    let versionIdentifiers: [String]
    /// The source of the model for the entities, or nil if there is no model.
    let model: String?
    /// The metadata keys of the application.
    let customMetadata: [String]
  }

  struct Entity: Encodable {
    let number: Int
    let parent: String?
    let table: String
    let rows: Int64?
    let greatestKey: Int64?
    let versionHash: String?
  }

  struct History: Encodable {
    let transactions: Int64
    let changes: Int64
    let latest: Int64?
  }

  let store: Store
  let entities: [String: Entity]
  let joinTables: [String: Int64]
  let history: History?
  /// The state of mirroring; nil if the store was never mirrored.
  let mirroring: LedgerSummary?
  let otherTables: [String]
}

extension StoreDocument {
  init(_ snapshot: StoreSnapshot, model: NSManagedObjectModel?, origin: String?) throws {
    let connection = snapshot.connection
    let metadata = snapshot.metadata
    let schema = try model.map { try snapshot.schema(of: $0) }
    store = Store(
      uuid: metadata.uuid, framework: metadata.frameworkVersion,
      bytes: Self.bytes(snapshot.location, ""),
      logBytes: Self.bytes(snapshot.location, "-wal"),
      journal: try connection.get(.journalMode).rawValue,
      versionIdentifiers: (metadata.dictionary[StoreMetadata.Key.identifiers] as? [String]) ?? [],
      model: origin,
      customMetadata: metadata.entries.keys.filter { !Self.isFrameworks($0) }.sorted())
    entities = try Self.entities(connection, metadata, schema)
    var joins: [String: Int64] = [:]
    for table in schema?.joinTables ?? [] {
      joins[table.name] = try Self.count(of: table.name, connection)
    }
    joinTables = joins
    history = try snapshot.history().map { _ in
      History(
        transactions: try Self.count(of: "ATRANSACTION", connection),
        changes: try Self.count(of: "ACHANGE", connection),
        latest: try connection.value("SELECT max(Z_PK) FROM ATRANSACTION")?.wholeNumber)
    }
    mirroring = try LedgerSummary(connection)
    let known = Set(entities.values.map(\.table) + joins.keys)
    otherTables = try connection.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    )
    .compactMap { if case .text(let name) = $0[0] { name } else { nil } }.filter {
      !known.contains($0)
    }
  }

  private static func entities(
    _ connection: Connection, _ metadata: StoreMetadata, _ schema: StoreSchema?
  ) throws -> [String: Entity] {
    let rows = try connection.rows(
      "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    let keys = rows.compactMap {
      row -> (number: Int64, name: String, parent: Int64, greatest: Int64?)? in
      guard case .integer(let number) = row[0], case .text(let name) = row[1], number < 16_000
      else { return nil }
      return (number, name, row[2].wholeNumber ?? 0, row[3].wholeNumber)
    }
    let byNumber = Dictionary(keys.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    let tables = try Set(
      connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").map { $0[0] })
    var entities: [String: Entity] = [:]
    for key in keys {
      var root = key
      var seen: Set<Int64> = []
      while let above = byNumber[root.parent], seen.insert(root.number).inserted { root = above }
      let table = schema?.entity(number: Int(key.number))?.table ?? "Z\(root.name.uppercased())"
      let name = schema?.entity(number: Int(key.number))?.name ?? key.name
      let count =
        tables.contains(.text(table))
        ? try connection.value("SELECT count(*) FROM \"\(table)\" WHERE Z_ENT = \(key.number)")?
          .wholeNumber : nil
      entities[name] = Entity(
        number: Int(key.number), parent: byNumber[key.parent]?.name, table: table, rows: count,
        greatestKey: key.parent == 0 ? key.greatest : nil,
        versionHash: metadata.versionHashes?[name].map { hash in
          hash.map { String(hexByte: $0) }.joined()
        })
    }
    return entities
  }

  private static func count(of table: String, _ connection: Connection) throws -> Int64 {
    try connection.value("SELECT count(*) FROM \(table)")?.wholeNumber ?? 0
  }

  private static func bytes(_ location: StoreLocation, _ suffix: String) -> Int64 {
    let attributes = try? FileManager.default.attributesOfItem(atPath: location.path + suffix)
    return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
  }

  private static func isFrameworks(_ key: String) -> Bool {
    key.hasPrefix("NSStore") || key.hasPrefix("NSPersistence") || key.hasPrefix("_NS")
  }
}

extension StoreDocument {
  /// The document in words.
  var text: String {
    var lines = [
      "store \(store.uuid)", "  framework \(store.framework.map(String.init) ?? "unknown")",
      "  \(store.bytes) bytes, \(store.logBytes) in the log, journal \(store.journal)",
      "  model: \(store.model ?? "none is known")",
    ]
    if !store.customMetadata.isEmpty {
      lines.append("  application metadata: \(store.customMetadata.joined(separator: ", "))")
    }
    lines += ["", "entities"]
    for (name, entity) in entities.sorted(by: { $0.value.number < $1.value.number }) {
      let rows = entity.rows.map { Counted.text($0, "row") } ?? "no table"
      let parent = entity.parent.map { ", below \($0)" } ?? ""
      let key = entity.greatestKey.map { ", greatest key \($0)" } ?? ""
      lines.append("  \(entity.number) \(name): \(rows) in \(entity.table)\(parent)\(key)")
    }
    for (name, rows) in joinTables.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(name): \(Counted.text(rows, "pair"))")
    }
    if let history {
      let transactions = Counted.text(history.transactions, "transaction")
      lines += ["", "history: \(transactions), \(Counted.text(history.changes, "change"))"]
    }
    if let mirroring { lines += ["", "mirroring"] + mirroring.lines.map { "  " + $0 } }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension LedgerSummary {
  /// The summary in words.
  fileprivate var lines: [String] {
    let kinds = [
      (pending.insertions, "new"), (pending.updates, "changed"), (pending.deletions, "deleted"),
      (pending.pairs, "of pairs"),
    ]
    let waiting = kinds.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    var lines = [
      "zones \(zones.joined(separator: ", ")); \(account.map { "the user \($0)" } ?? "not signed in")",
      "last received: \(Self.text(lastImport)), last sent: \(Self.text(lastExport))",
      "acknowledged records: \(acknowledged)",
      "pending changes: \(waiting.isEmpty ? "none" : waiting.joined(separator: ", "))",
    ]
    if unanswered > 0 { lines.append("sent and not answered: \(unanswered)") }
    if waitingReferences > 0 {
      lines.append("references whose target has not arrived: \(waitingReferences)")
    }
    if conflicts > 0 { lines.append("entries in the conflict journal: \(conflicts)") }
    lines += unreadable.sorted { $0.key < $1.key }.map { "cannot be read: \($0.value)" }
    return lines
  }

  private static func text(_ date: Date?) -> String {
    date.map { $0.formatted(.iso8601) } ?? "never"
  }
}

extension Value {
  /// The value, if it is an integer.
  var wholeNumber: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }
}
