package import CloudKitClient
import CloudRecords
import Foundation

/// Records that have every field of a schema, from which a development environment learns its types.
///
/// They are saved and deleted again: `initializeCloudKitSchema(options:)` does both.
package struct SchemaSamples: Sendable {
  private let schema: MirrorSchema

  package init(_ schema: MirrorSchema) { self.schema = schema }

  // MARK: Records

  /// A record of each entity that has objects, and one of a pair where there are many-to-many relationships.
  ///
  /// - Throws: What making files throws; nothing stays behind then.
  package func records(in zone: CKRecordZone.ID, staging: some AssetStaging) throws -> [EncodedRecord] {
    var records: [EncodedRecord] = []
    do {
      for entity in schema.entities where !entity.isAbstract { records.append(try record(entity, zone, staging)) }
    } catch {
      staging.remove(records.flatMap(\.files))
      throw error
    }
    guard let join = schema.joins.first else { return records }
    let pair = JoinPair(join, first: Self.name(of: join.firstEntity), second: Self.name(of: join.secondEntity))
    let record = RecordEncoder(schema: schema).record(for: pair, named: Self.name(of: MirrorNames.joinType), in: zone)
    return records + [
      EncodedRecord(
        record: record, files: [], assets: [], bytes: MappingLimits.bareRecordBytes,
        recordBytes: MappingLimits.bareRecordBytes)
    ]
  }

  /// What samples are called: what was left behind is replaced the next time.
  private static func name(of type: String) -> String { MirrorNames.ownPrefix + "sample_" + type }

  private func record(
    _ entity: MirrorEntity, _ zone: CKRecordZone.ID, _ staging: some AssetStaging
  ) throws -> EncodedRecord {
    let record = CKRecord(
      recordType: entity.recordType, recordID: CKRecord.ID(recordName: Self.name(of: entity.name), zoneID: zone))
    let file = entity.fields.contains { $0.type == .asset } ? try staging.stage(Self.text) : nil
    for field in entity.fields {
      let values: any CKRecordKeyValueSetting = field.isEncrypted ? record.encryptedValues : record
      values[field.name] = field.property == nil ? entity.nameInCloud : value(of: field, file)
    }
    return EncodedRecord(
      record: record, files: file.map { [$0] } ?? [], assets: [], bytes: MappingLimits.bareRecordBytes,
      recordBytes: MappingLimits.bareRecordBytes)
  }

  private static let text = "sample"

  private func value(of field: MirrorField, _ file: StagedFile?) -> (any CKRecordValueProtocol)? {
    switch field.type {
    case .int64: 1
    case .double: 1.5
    case .timestamp: Date(timeIntervalSince1970: 0)
    case .bytes: Data(Self.text.utf8)
    case .asset: file.map { CKAsset(fileURL: $0.url) }
    default: Self.text
    }
  }

  // MARK: Text

  /// The record types and their fields in the language of schemas, for `printSchema`: a server can import it.
  package var text: String {
    let types = Dictionary(grouping: schema.entities, by: \.recordType).sorted { $0.key < $1.key }
    var text = "DEFINE SCHEMA\n"
    for (type, entities) in types { text += Self.text(of: type, entities.flatMap(\.fields)) }
    guard !schema.joins.isEmpty else { return text }
    let names = [MirrorNames.joinEntities, MirrorNames.joinRecords, MirrorNames.joinRelationships]
    let fields = names.map { MirrorField(name: $0, type: .string, isEncrypted: false, property: nil) }
    return text + Self.text(of: MirrorNames.joinType, fields)
  }

  private static func text(of type: String, _ fields: [MirrorField]) -> String {
    var seen: Set<String> = []
    let fields = fields.filter { seen.insert($0.name).inserted }.sorted { $0.name < $1.name }
    let width = fields.map(\.name.utf8.count).max() ?? 0
    let lines = fields.map { field in
      "        " + field.name + String(repeating: " ", count: width - field.name.utf8.count) + " " + field.typeText
    }
    return "\n    RECORD TYPE \(type) (\n\(lines.joined(separator: ",\n"))\n    );\n"
  }
}
