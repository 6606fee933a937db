import CloudSchema
import RecordStorage
import Synchronization

/// A cache of parsed schemas, so that a request compares a schema's text instead of parsing it.
package final class ParsedSchemas: Sendable {
  private struct Parsed {
    var text: [UInt8]
    var schema: Schema
    var version: SchemaVersion
  }

  private let parsed = Mutex<[Realm: Parsed]>([:])

  package init() {}

  func schema(text: Span<UInt8>, of realm: Realm) throws -> (schema: Schema, version: SchemaVersion)
  {
    if let known = parsed.withLock({ $0[realm] }), Self.isSame(known.text, text) {
      return (known.schema, known.version)
    }
    let copy = Array(copying: text)
    let new = Parsed(
      text: copy, schema: try Schema(stored: copy), version: SchemaVersion(ofText: copy))
    parsed.withLock { $0[realm] = new }
    return (new.schema, new.version)
  }

  private static func isSame(_ known: [UInt8], _ text: Span<UInt8>) -> Bool {
    guard known.count == text.count else { return false }
    for index in text.indices where known[index] != text[index] { return false }
    return true
  }
}
