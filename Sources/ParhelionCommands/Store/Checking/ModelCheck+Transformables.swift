import Foundation
import ManagedObjectModel
import ManagedObjects
import SQLiteDriver
import SQLiteStore

/// Values of transformable attributes: their transformer must decode them, if this process has it.
extension ModelCheck {
  mutating func checkTransformedValues(of table: TableSchema) throws {
    let files = ExternalFileCheck(of: snapshot)
    for (attribute, column) in table.storedAttributes
    where attribute.attributeType == .transformableAttributeType {
      try check(AttributeTransformer(attribute), attribute, column, in: table, files)
    }
  }

  private mutating func check(
    _ transformer: AttributeTransformer, _ attribute: NSAttributeDescription, _ column: String,
    in table: TableSchema,
    _ files: ExternalFileCheck
  ) throws {
    var unknown: (count: Int, reason: String) = (0, "")
    var damaged = 0
    var statement = try connection.prepare(
      "SELECT Z_PK, \(column) FROM \(table.name) WHERE typeof(\(column)) = 'blob' ORDER BY Z_PK")
    while try statement.step() {
      guard let bytes = Self.value(Data(statement.row.blob(at: 1) ?? []), of: attribute, files)
      else { continue }
      switch transformer.check(bytes) {
      case .decodable: continue
      case .unknown(let reason):
        unknown = (unknown.count + 1, unknown.count == 0 ? reason : unknown.reason)
      case .damaged(let reason):
        damaged += 1
        guard damaged <= Self.reportedValues else { continue }
        note(
          "value", table: table.name, row: statement.row.int64(at: 0),
          Self.sentence(
            "\(column) cannot be made a value of the attribute \(attribute.name): \(reason)"))
      }
    }
    if damaged > Self.reportedValues {
      note("value", table: table.name, "More rows have the same issue.")
    }
    guard unknown.count > 0 else { return }
    warn(
      "value", table: table.name,
      Self.sentence(
        "\(unknown.count) values of \(attribute.name) were not checked: \(unknown.reason)"))
  }

  /// The words with a period at their end.
  private static func sentence(_ words: String) -> String {
    words.hasSuffix(".") ? words : words + "."
  }

  private static var reportedValues: Int { 100 }

  /// The bytes to decode; nil if they are in an unreadable file, which another check reports.
  private static func value(
    _ stored: Data, of attribute: NSAttributeDescription, _ files: ExternalFileCheck
  ) -> Data? {
    guard attribute.allowsExternalBinaryDataStorage else { return stored }
    switch ExternalReference(stored: stored) {
    case .inline(let bytes): return bytes
    case .file(let name): return files.url(of: name).flatMap { try? Data(contentsOf: $0) }
    }
  }
}
