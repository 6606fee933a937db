package import CloudKitClient
import Foundation

/// Turns objects into records.
///
/// What to write is decided first, as a value; only then are files made and is the record changed.
package struct RecordEncoder: Sendable {
  /// What the model is in the cloud.
  package let schema: MirrorSchema
  /// The fields for exact values that are not written, since the cloud's schema lacks them, by
  /// record type.
  package var fieldsLeftOut: [String: Set<String>] = [:]

  package init(schema: MirrorSchema) { self.schema = schema }

  // MARK: Objects

  /// A record of an object that the cloud does not have yet, without fields.
  package func makeRecord(for content: ObjectContent, in zone: CKRecordZone.ID) -> CKRecord {
    guard let entity = schema[content.entity] else {
      preconditionFailure("The schema has no entity \(content.entity).")
    }
    return CKRecord(
      recordType: entity.recordType,
      recordID: CKRecord.ID(recordName: content.recordName, zoneID: zone))
  }

  /// Writes an object into a record: a new one, one that has its system fields alone, or the
  /// server's version.
  ///
  /// Nothing is written twice into records that were never saved: what has no value is not in them
  /// anyway.
  ///
  /// - Parameters:
  ///   - changed: The names of the properties to write; nil for all.
  ///   - assets: The fields whose values lie in assets now, as the last `EncodedRecord.assets` had
  ///     them; nil where that is not known. A record with its fields tells by itself.
  ///   - staging: Makes the files that assets are uploaded from; remove them when the record was
  ///     sent.
  /// - Throws: What making files throws; nothing stays behind then, and the record is as it was. A
  ///   schema that is not deployed if a number cannot be written without its exact value.
  package func encode(
    _ content: ObjectContent, changed: Set<String>? = nil, assets: Set<String>? = nil,
    into record: CKRecord,
    staging: some AssetStaging
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
      assets: changes.assets, bytes: bytes,
      recordBytes: changes.recordBytes)
  }

  /// Throws if a number that is to be written is infinite or NaN, for which Apple's fields have no
  /// value.
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

  /// The fields for exact values that the cloud's schema lacks of an entity's record types.
  package func fieldsLeftOut(of entity: MirrorEntity) -> Set<String> {
    entity.recordTypes.reduce(into: []) { $0.formUnion(fieldsLeftOut[$1] ?? []) }
  }

  /// Whether the cloud's schema lacks the field that counts the moves of a type's records.
  package func leavesOutMoves(of recordType: String) -> Bool {
    fieldsLeftOut[recordType]?.contains(MirrorNames.moves) ?? false
  }

  // MARK: Pairs

  /// The record of a pair of a many-to-many relationship.
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

/// A record that was written, and what that took.
package struct EncodedRecord: Sendable {
  /// The record, to be saved.
  package let record: CKRecord
  /// The files that its assets are uploaded from.
  package let files: [StagedFile]
  /// The fields whose values lie in assets now, by the names of the fields that would hold them
  /// inline.
  package let assets: Set<String>
  /// About how many bytes travel in the request for the record, assets aside.
  package let bytes: Int
  /// About how many bytes the whole record has then, as far as it is known, assets aside.
  package let recordBytes: Int
}
