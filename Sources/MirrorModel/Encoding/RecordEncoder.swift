package import CloudKitClient
import Foundation

/// Converts objects and pairs to records.
///
/// It first decides what to write, as a value. Only then does it create files and change the
/// record.
package struct RecordEncoder: Sendable {
  package let schema: MirrorSchema
  /// The optional fields that the cloud's schema lacks, by record type; they are not written.
  package var fieldsLeftOut: [String: Set<String>] = [:]

  package init(schema: MirrorSchema) { self.schema = schema }

  // MARK: Objects

  /// Creates an empty record for an object that the server does not have.
  package func makeRecord(for content: ObjectContent, in zone: CKRecordZone.ID) -> CKRecord {
    guard let entity = schema[content.entity] else {
      preconditionFailure("The schema has no entity \(content.entity).")
    }
    return CKRecord(
      recordType: entity.recordType,
      recordID: CKRecord.ID(recordName: content.recordName, zoneID: zone))
  }

  /// Writes an object into a new record, one with system fields only, or the server's version.
  ///
  /// A record that was never saved needs no cleared fields.
  ///
  /// - Parameters:
  ///   - changed: The properties to write; nil for all.
  ///   - assets: The fields whose values are in assets now, from the last `EncodedRecord.assets`;
  ///     nil if unknown. Ignored for a record with its fields.
  ///   - staging: Creates the files from which assets are uploaded; remove them after the record
  ///     was sent.
  /// - Throws: An error of creating files; then none remain, and the record is unchanged.
  ///   `schemaNotDeployed` if a number cannot be written without its exact value.
  package func encode(
    _ content: ObjectContent, changed: Set<String>? = nil, assets: Set<String>? = nil,
    into record: CKRecord, staging: some AssetStaging
  ) throws -> EncodedRecord {
    try checkNumbers(of: content, changed)
    let own = schema[content.entity]?.fieldNames ?? []
    let changes = changes(
      of: content, changed: changed, assets: record.assets(of: own) ?? assets,
      foreignBytes: record.bytes(ofFieldsBeside: own), isNew: record.recordChangeTag == nil)
    let files = try changes.stage(staging)
    let bytes = changes.apply(to: record, files)
    return EncodedRecord(
      record: record, files: files.values.sorted { $0.url.path < $1.url.path },
      assets: changes.assets, bytes: bytes, recordBytes: changes.recordBytes)
  }

  /// Throws if a number to be written is infinite or NaN, and its exact field is left out.
  private func checkNumbers(of content: ObjectContent, _ changed: Set<String>?) throws(MirrorError)
  {
    guard !fieldsLeftOut.isEmpty, let entity = schema[content.entity] else { return }
    let leftOut = fieldsLeftOut(of: entity)
    for attribute in entity.attributes where changed?.contains(attribute.property) ?? true {
      let value = content[attribute.key]
      guard let field = attribute.exactField, leftOut.contains(field), value.inRecord == nil,
        let text = value.exactText
      else { continue }
      throw MirrorError(
        .schemaNotDeployed,
        "\(entity.name).\(attribute.key) is \(text), which needs the field \(field). Deploy "
          + "the schema with that field, or give the attribute another value.",
        recordType: entity.recordType, field: field)
    }
  }

  /// Returns the left-out fields of an entity's record types.
  package func fieldsLeftOut(of entity: MirrorEntity) -> Set<String> {
    entity.recordTypes.reduce(into: []) { $0.formUnion(fieldsLeftOut[$1] ?? []) }
  }

  // MARK: Pairs

  /// Creates the record of a pair of a many-to-many relationship.
  package func record(for pair: JoinPair, named recordName: String, in zone: CKRecordZone.ID)
    -> CKRecord
  {
    let record = CKRecord(
      recordType: MirrorNames.joinType, recordID: CKRecord.ID(recordName: recordName, zoneID: zone))
    let (first, second) = (schema[pair.join.firstEntity], schema[pair.join.secondEntity])
    let relationships = [
      first?.joinNames[pair.join.firstRelationship],
      second?.joinNames[pair.join.secondRelationship],
    ]
    record[MirrorNames.joinEntities] = [first, second].map { $0?.nameInCloud ?? "" }.joined(
      separator: ":")
    record[MirrorNames.joinRecords] = "\(pair.first):\(pair.second)"
    record[MirrorNames.joinRelationships] = relationships.map { $0 ?? "" }.joined(separator: ":")
    return record
  }
}

/// An encoded record, with its files and sizes.
package struct EncodedRecord: Sendable {
  /// The record to save.
  package let record: CKRecord
  /// The files from which its assets are uploaded.
  package let files: [StagedFile]
  /// The inline fields whose values are in assets now.
  package let assets: Set<String>
  /// The approximate size of the record in the request in bytes, without assets.
  package let bytes: Int
  /// The approximate size of the whole record in bytes, as far as known, without assets.
  package let recordBytes: Int
}
