import ObjectRows
import SQLiteDriver
import SQLiteStore

extension StoreCommands {
  /// The command `parhelion store dump`.
  package static let dump = Command(
    "store dump", "Print every object of a store.", operands: ["FILE"], options: [modelOption, .json],
    discussion: """
      \(forms) Properties without a value are left out, and long data are cut, but for --json: {"store": {"uuid", "framework"}, "entities": {"Entity": [{"pk", "entity", "version",
      "attributes": {…}, "relationships": {"name": key or [key, …]}}]}}. Rows stand under their own entity in the order of
      their keys; dates are seconds since 2001, bytes are in base 64, UUIDs in upper case.
      """
  ) { invocation, console in
    let subject = try subject(invocation, console)
    let dump = StoreDump(subject, isForReading: !invocation.has("--json")) { console.report($0) }
    let entities = subject.schema.entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    do {
      if invocation.has("--json") {
        try writeJSON(dump, entities, console)
      } else {
        try writeText(dump, entities, console)
      }
    } catch let error as SQLiteError {
      throw CommandError(StoreError(error, at: subject.snapshot.location).message)
    }
    return .success
  }

  private static func writeJSON(_ dump: StoreDump, _ entities: [EntitySchema], _ console: any Console) throws {
    let metadata = dump.subject.snapshot.metadata
    let store = JSONText.object([
      ("uuid", JSONText.string(metadata.uuid)), ("framework", metadata.frameworkVersion.map { "\($0)" } ?? "null"),
    ])
    try console.write("{\"store\": \(store), \"entities\": {")
    for (place, entity) in entities.enumerated() {
      try console.write("\(place == 0 ? "" : ",")\n\(JSONText.string(entity.name)): [")
      var isFirst = true
      try dump.forEachRow(of: entity) { row in
        try console.write((isFirst ? "\n  " : ",\n  ") + row.json)
        isFirst = false
      }
      try console.write("]")
    }
    try console.writeLine("}}")
  }

  private static func writeText(_ dump: StoreDump, _ entities: [EntitySchema], _ console: any Console) throws {
    var isEmpty = true
    for entity in entities {
      var hasRows = false
      try dump.forEachRow(of: entity) { row in
        if !hasRows { try console.writeLine(entity.name) }
        (hasRows, isEmpty) = (true, false)
        try console.writeLine(row.text)
      }
    }
    if isEmpty { try console.writeLine("The store has no objects.") }
  }
}
