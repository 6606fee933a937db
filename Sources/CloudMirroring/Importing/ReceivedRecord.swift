import CloudKitClient
import CloudRecords
import MirrorModel
import ObjectRows

/// A record from the cloud, decoded as far as possible without the store.
///
/// It is created while the previous part is saved.
final class ReceivedRecord: Sendable {
  let record: CKRecord
  let identifier: RecordIdentifier
  let tag: String?
  let meaning: DecodedRecord
  let systemFields: [UInt8]
  /// Digests of an object's properties in the record, by ordinal.
  let digests: [Int: UInt64]

  /// The number of the record's moves between zones.
  let moves: Int64
  /// The names of the records that this one absorbed.
  let standsFor: [String]

  /// Decodes a received record.
  ///
  /// - Parameter isPartial: Whether the record has only some of its fields.
  init(_ record: CKRecord, at mirror: MirrorStore, of user: String?, isPartial: Bool) {
    self.record = record
    identifier = RecordIdentifier(record.recordID)
    tag = record.recordChangeTag
    let decoded = RecordDecoder(schema: mirror.schema, expectsSealed: mirror.expectsSealed).decode(
      record)
    meaning = isPartial ? decoded.treatingAbsentAsUnfetched : decoded
    systemFields = record.systemFields(of: user)
    digests = Self.digests(of: meaning, at: mirror)
    standsFor = record.absorbedRecordNames
    // Clamped, because a hostile record must not make later moves impossible.
    moves = min(max(0, (record[MirrorNames.moves] as Int64?) ?? 0), 1 << 32)
  }

  private static func digests(of meaning: DecodedRecord, at mirror: MirrorStore) -> [Int: UInt64] {
    guard case .object(let object) = meaning,
      let layout = mirror.layouts[named: object.content.entity]
    else { return [:] }
    return mirror.ordinals(
      object.entity.digests(of: object.determinedProperties, in: object.content), in: layout)
  }

  /// The names of the records that this one refers to.
  var targets: [RecordIdentifier] {
    let names: [String] =
      switch meaning {
      case .object(let object):
        Array(object.content.references.values) + object.content.orders.values.flatMap(\.self)
      case .pair(let pair): [pair.first, pair.second]
      case .foreign: []
      }
    return names.map { RecordIdentifier(recordName: $0, zone: identifier.zone) }
  }
}

/// A page that was decoded as far as possible without the store.
struct DecodedPage: Sendable {
  let records: [ReceivedRecord]
  /// The rest of the page: deletions, feed positions, and whether its records are conflicts.
  let page: ImportPage

  init(_ page: ImportPage, at mirror: MirrorStore) throws {
    self.page = page
    let user = try mirror.presentUser
    records = page.records.map {
      ReceivedRecord($0, at: mirror, of: user, isPartial: page.isPartial)
    }
  }

  private init(_ records: [ReceivedRecord], _ page: ImportPage) {
    (self.records, self.page) = (records, page)
  }

  /// Returns the decoded form of a page without some of the records.
  func saying(_ page: ImportPage) -> Self {
    let names = Set(page.records.map(\.recordID))
    let kept = records.filter { names.contains($0.record.recordID) }
    return Self(kept, page.replacing(records: kept.map(\.record), deleted: page.deleted))
  }
}
