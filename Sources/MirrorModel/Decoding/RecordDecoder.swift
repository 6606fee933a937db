package import CloudKitClient
import Foundation

/// Converts records to the contents of objects and pairs.
///
/// It accepts forms close to Apple's, because records come from other versions and programs.
package struct RecordDecoder: Sendable {
  package let schema: MirrorSchema
  /// Whether devices seal encrypted attributes; if so, plain values of these are rejected.
  private let expectsSealed: Bool

  package init(schema: MirrorSchema, expectsSealed: Bool) {
    self.schema = schema
    self.expectsSealed = expectsSealed
  }

  /// Returns the record's meaning for the store.
  package func decode(_ record: CKRecord) -> DecodedRecord {
    if record.recordType == MirrorNames.joinType { return pair(record) }
    switch entity(of: record) {
    case .success(let entity): return .object(object(record, entity))
    case .failure(let unknown): return .foreign(unknown.reason)
    }
  }

  // MARK: Objects

  private struct Unknown: Error {
    let reason: ForeignReason
  }

  /// Returns the entity that a record names; if it names none, the root of its type.
  private func entity(of record: CKRecord) -> Result<MirrorEntity, Unknown> {
    let type = record.recordType
    guard schema.knows(recordType: type) else {
      return .failure(Unknown(reason: .recordType(type)))
    }
    let named = record[MirrorNames.entityName] as (any CKRecordValueProtocol)? as? String
    let name =
      named.flatMap { $0.isEmpty ? nil : $0 } ?? String(type.dropFirst(MirrorNames.prefix.count))
    guard let entity = schema.entity(inCloud: name), entity.recordTypes.contains(type) else {
      return .failure(Unknown(reason: .entity(name, recordType: type)))
    }
    return entity.isAbstract ? .failure(Unknown(reason: .abstractEntity(name))) : .success(entity)
  }

  private func object(_ record: CKRecord, _ entity: MirrorEntity) -> DecodedObject {
    let content = ObjectContent(entity: entity.name, recordName: record.recordID.recordName)
    var object = DecodedObject(content, entity)
    object.modifiedBy = record.lastModifiedUserRecordID?.recordName
    object.modified = record.modificationDate
    let reader = FieldReader(record, expectsSealed: expectsSealed)
    for attribute in entity.attributes {
      object.take(attribute, from: reader)
      object.takeExact(attribute, from: reader)
    }
    for reference in entity.references { object.take(reference, from: reader) }
    for order in entity.orders { object.take(order, from: reader) }
    return object
  }

  // MARK: Pairs

  private func pair(_ record: CKRecord) -> DecodedRecord {
    let reader = PairReader(record)
    guard let entities = reader.halves(MirrorNames.joinEntities),
      let relationships = reader.halves(MirrorNames.joinRelationships),
      let records = reader.halves(MirrorNames.joinRecords)
    else { return .foreign(.pair("does not name two entities, two relationships and two records")) }
    guard let side = schema.entity(inCloud: entities.0)?.join(inCloud: relationships.0),
      let other = schema.entity(inCloud: entities.1)?.join(inCloud: relationships.1),
      side.join == other.join, side.isFirst != other.isFirst || side.join.isSymmetric
    else {
      let place = "\(entities.0).\(relationships.0) with \(entities.1).\(relationships.1)"
      return .foreign(
        .pair("joins \(place), which the model does not know as the two sides of one relationship"))
    }
    return .pair(side.pair(of: records.0, with: records.1))
  }
}

/// Reads the fields of a pair, each of which holds two names.
private struct PairReader {
  private let record: CKRecord

  init(_ record: CKRecord) { self.record = record }

  /// Returns the names before and after the colon.
  ///
  /// Apple's documentation names a semicolon, but Apple's records have a colon.
  func halves(_ field: String) -> (String, String)? {
    guard let text = record[field] as (any CKRecordValueProtocol)? as? String else { return nil }
    let separator: Character = text.contains(":") ? ":" : ";"
    let halves = text.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    guard halves.count == 2, !halves[0].isEmpty, !halves[1].isEmpty else { return nil }
    return (halves[0], halves[1])
  }
}
