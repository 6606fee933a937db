import CloudSchema
import RecordStorage
import Synchronization

/// The schemas that were parsed last, so that a request costs a comparison of texts and no parsing.
package final class ParsedSchemas: Sendable {
  private struct Parsed {
    var text: [UInt8]
    var schema: Schema
  }

  private let parsed = Mutex<[Realm: Parsed]>([:])

  package init() {}

  func schema(text: Span<UInt8>, of realm: Realm) throws -> Schema {
    if let known = parsed.withLock({ $0[realm] }), Self.isSame(known.text, text) { return known.schema }
    let copy = Array(copying: text)
    let schema = try Schema(text: copy)
    parsed.withLock { $0[realm] = Parsed(text: copy, schema: schema) }
    return schema
  }

  private static func isSame(_ known: [UInt8], _ text: Span<UInt8>) -> Bool {
    guard known.count == text.count else { return false }
    for index in text.indices where known[index] != text[index] { return false }
    return true
  }
}
