package import CloudRecords
import Foundation

/// A join record of which at least one object has not arrived.
package struct DeferredPair: Hashable, Sendable {
  package let record: RecordIdentifier
  package let tag: String?
  package let systemFields: [UInt8]?
  /// The entity that declares the relationship from the first to the second object.
  package let entity: String
  package let relationship: String
  /// The records of both objects.
  package let first: RecordIdentifier
  package let second: RecordIdentifier

  package init(
    record: RecordIdentifier, tag: String?, systemFields: [UInt8]?, entity: String,
    relationship: String, first: RecordIdentifier, second: RecordIdentifier
  ) {
    (self.record, self.tag, self.systemFields) = (record, tag, systemFields)
    (self.entity, self.relationship) = (entity, relationship)
    (self.first, self.second) = (first, second)
  }

  private struct Payload: Codable {
    let tag: String?
    let system: Data?
    let ends: [String]
  }

  /// An item for each end, so that both can be looked up.
  package var items: [DeferredItem] {
    let payload = Payload(
      tag: tag, system: systemFields.map { Data($0) }, ends: [first.recordName, second.recordName])
    let bytes = (try? JSONEncoder().encode(payload)).map { Array($0) }
    return [first, second].map {
      DeferredItem(
        .pair, .pair(record, entity: entity, relationship: relationship),
        dependency: $0.recordName, payload: bytes)
    }
  }

  /// The pair of an item; nil for other kinds.
  package init?(_ item: DeferredItem) {
    guard case .pair(let record, let entity, let relationship) = item.subject,
      let bytes = item.payload,
      let payload = try? JSONDecoder().decode(Payload.self, from: Data(bytes)),
      payload.ends.count == 2
    else { return nil }
    let ends = payload.ends.map { RecordIdentifier(recordName: $0, zone: record.zone) }
    self.init(
      record: record, tag: payload.tag, systemFields: payload.system.map { Array($0) },
      entity: entity, relationship: relationship, first: ends[0], second: ends[1])
  }
}
