import ObjectRows
import SQLiteDriver
import SQLiteStore

extension StoreCommands {
  /// The command `parhelion store dump`.
  package static let dump = Command(
    "store dump", "Print every object of a store.", operands: ["FILE"],
    options: [modelOption, .json],
    discussion: """
      \(forms) Properties without a value are omitted, and long data are truncated, except with \
      --json: {"store": {"uuid", "framework"}, "entities": {"Entity": [{"pk", "entity", "version", \
      "attributes": {…}, "relationships": {"name": key or [key, …]}}]}}. Rows are listed under \
      their own entity, sorted by key; dates are seconds since 2001, bytes are in Base64, UUIDs in \
      upper case. If the store's model is unknown, "columns" with the stored values replace \
      attributes and relationships, and a message says so.
      """
  ) { invocation, console in
    let snapshot = try snapshot(invocation)
    let known = try model(for: snapshot, named: invocation.value(of: "--model"), console)
    do {
      let source: any DumpSource
      if let known {
        source = StoreDump(
          try subject(snapshot, known.0, origin: known.origin),
          isForReading: !invocation.has("--json")
        ) { console.report($0) }
      } else {
        console.report("\(try reasonWithoutModel(snapshot)) Columns are shown as stored.")
        source = try ColumnDump(snapshot, isForReading: !invocation.has("--json"))
      }
      if invocation.has("--json") {
        try writeJSON(source, snapshot.metadata, console)
      } else {
        try writeText(source, console)
      }
    } catch let error as SQLiteError {
      throw CommandError(StoreError(error, at: snapshot.location).message)
    } catch let error as StoreError {
      throw CommandError(error.message)
    }
    return .success
  }

  private static func writeJSON(
    _ dump: any DumpSource, _ metadata: StoreMetadata, _ console: any Console
  ) throws {
    let store = JSONText.object([
      ("uuid", JSONText.string(metadata.uuid)),
      ("framework", metadata.frameworkVersion.map { "\($0)" } ?? "null"),
    ])
    try console.write("{\"store\": \(store), \"entities\": {")
    for (place, entity) in dump.entityNames.enumerated() {
      try console.write("\(place == 0 ? "" : ",")\n\(JSONText.string(entity)): [")
      var isFirst = true
      try dump.forEachRow(of: entity) { row in
        try console.write((isFirst ? "\n  " : ",\n  ") + row.json)
        isFirst = false
      }
      try console.write("]")
    }
    try console.writeLine("}}")
  }

  private static func writeText(_ dump: any DumpSource, _ console: any Console) throws {
    var isEmpty = true
    for entity in dump.entityNames {
      var hasRows = false
      try dump.forEachRow(of: entity) { row in
        if !hasRows { try console.writeLine(entity) }
        (hasRows, isEmpty) = (true, false)
        try console.writeLine(row.text)
      }
    }
    if isEmpty { try console.writeLine("The store has no objects.") }
  }
}
