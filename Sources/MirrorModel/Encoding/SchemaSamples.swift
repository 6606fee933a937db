package import CloudKitClient
import CloudRecords
import Foundation

/// Records with every field of a schema, from which a development environment learns its types.
///
/// `initializeCloudKitSchema(options:)` saves and deletes them.
package struct SchemaSamples: Sendable {
  private let schema: MirrorSchema

  package init(_ schema: MirrorSchema) { self.schema = schema }

  // MARK: Records

  /// Creates a record for each concrete entity, and one for a pair if the schema has any.
  ///
  /// - Throws: An error of creating files; then none remain.
  package func records(in zone: CKRecordZone.ID, staging: some AssetStaging) throws
    -> [EncodedRecord]
  {
    var records: [EncodedRecord] = []
    do {
      for entity in schema.entities where !entity.isAbstract {
        records.append(try record(entity, zone, staging))
      }
    } catch {
      staging.remove(records.flatMap(\.files))
      throw error
    }
    guard let join = schema.joins.first else { return records }
    let pair = JoinPair(
      join, first: Self.name(of: join.firstEntity), second: Self.name(of: join.secondEntity))
    let record = RecordEncoder(schema: schema).record(
      for: pair, named: Self.name(of: MirrorNames.joinType), in: zone)
    record[MirrorNames.moves] = 1
    return records + [
      EncodedRecord(
        record: record, files: [], assets: [], bytes: MappingLimits.bareRecordBytes,
        recordBytes: MappingLimits.bareRecordBytes)
    ]
  }

  /// The name of a sample, which is fixed so that the next run replaces leftovers.
  private static func name(of type: String) -> String { MirrorNames.ownPrefix + "sample_" + type }

  private func record(
    _ entity: MirrorEntity, _ zone: CKRecordZone.ID, _ staging: some AssetStaging
  ) throws -> EncodedRecord {
    let record = CKRecord(
      recordType: entity.recordType,
      recordID: CKRecord.ID(recordName: Self.name(of: entity.name), zoneID: zone))
    let file = try staging.stage(Self.text)
    for field in Self.fields(entity) {
      let values: any CKRecordKeyValueSetting = field.isEncrypted ? record.encryptedValues : record
      values[field.name] =
        field.name == MirrorNames.entityName ? entity.nameInCloud : value(of: field, file)
    }
    return EncodedRecord(
      record: record, files: [file], assets: [], bytes: MappingLimits.bareRecordBytes,
      recordBytes: MappingLimits.bareRecordBytes)
  }

  /// The field that counts the moves of a record.
  private static let moves = MirrorField(
    name: MirrorNames.moves, type: .int64, isEncrypted: false, property: nil)

  /// The fields of an entity's records, and those that Apple's container adds to every schema.
  ///
  /// One schema may serve programs with Apple's container and programs with this one.
  private static func fields(_ entity: MirrorEntity) -> [MirrorField] {
    let receipt = MirrorNames.moveReceipt
    return entity.fields + [
      moves,
      MirrorField(name: receipt, type: .bytes, isEncrypted: false, property: nil),
      MirrorField(
        name: MirrorNames.asset(receipt), type: .asset, isEncrypted: false, property: nil),
    ]
  }

  private static let text = "sample"

  private func value(of field: MirrorField, _ file: StagedFile) -> (any CKRecordValueProtocol)? {
    switch field.type {
    case .int64: 1
    case .double: 1.5
    case .timestamp: Date(timeIntervalSince1970: 0)
    case .bytes: Data(Self.text.utf8)
    case .asset: CKAsset(fileURL: file.url)
    default: Self.text
    }
  }

  // MARK: Text

  /// The schema in the schema language, for `printSchema`; a server can import it.
  package var text: String {
    let types = Dictionary(grouping: schema.entities, by: \.recordType).sorted { $0.key < $1.key }
    var text = "DEFINE SCHEMA\n"
    for (type, entities) in types { text += Self.text(of: type, entities.flatMap(Self.fields)) }
    guard !schema.joins.isEmpty else { return text }
    let names = [MirrorNames.joinEntities, MirrorNames.joinRecords, MirrorNames.joinRelationships]
    let fields = names.map {
      MirrorField(name: $0, type: .string, isEncrypted: false, property: nil)
    }
    return text + Self.text(of: MirrorNames.joinType, fields + [Self.moves])
  }

  private static func text(of type: String, _ fields: [MirrorField]) -> String {
    var seen: Set<String> = []
    let fields = fields.filter { seen.insert($0.name).inserted }.sorted { $0.name < $1.name }
    let width = fields.map(\.name.utf8.count).max() ?? 0
    let lines = fields.map { field in
      "        " + field.name + String(repeating: " ", count: width - field.name.utf8.count) + " "
        + field.typeText
    }
    return "\n    RECORD TYPE \(type) (\n\(lines.joined(separator: ",\n"))\n    );\n"
  }
}
