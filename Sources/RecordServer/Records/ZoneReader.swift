import CloudRecords
import CloudSchema
import CloudWire
import RecordStorage

/// A caller's read access to a zone: which records are visible, and how they are presented.
final class ZoneReader {
  let access: ZoneAccess
  let draft: ZoneDraft
  private let call: Call
  private let addresses: any AssetAddresses
  private let sealer: ValueSealer
  private let types: (schema: Schema, roles: [String])?

  init(
    _ zone: RecordZoneIdentifier, _ call: Call, _ server: RecordServer,
    _ transaction: any StorageReading
  ) throws {
    self.call = call
    access = try ZoneFinder(call: call).find(zone, in: transaction)
    draft = ZoneDraft(zone: access.zone, keys: access.keys, transaction: transaction)
    (addresses, sealer) = (server.addresses, server.sealer)
    types = try access.isPublic ? Self.types(call, server, transaction) : nil
  }

  /// The schema and the caller's roles, which decide visibility in the public database.
  private static func types(
    _ call: Call, _ server: RecordServer, _ transaction: any StorageReading
  ) throws -> (Schema, [String]) {
    let schema = try SchemaCopy(of: call.realm, in: transaction, parsed: server.parsedSchemas)
      .schema
    let user = try UserDirectory(realm: call.realm).user(of: call.caller, in: transaction)
    return (schema, user?.roles ?? [])
  }

  /// Whether the caller may see a record.
  func shows(_ record: StoredRecord) -> Bool {
    let action: Action = record.share == nil ? .readRecord : .readShare
    return Permission.decide(action, by: call.caller, on: subject(of: record)) == .allowed
  }

  /// Whether the caller may see every record of the zone, other than shares, without checking each.
  var showsRecords: Bool {
    guard types == nil, access.seesAll else { return false }
    return Permission.decide(.readRecord, by: call.caller, on: access.subject(of: nil)) == .allowed
  }

  private func subject(of record: StoredRecord) -> Subject {
    guard let types else {
      return record.share == nil ? access.subject(of: record) : access.subject(ofShare: record)
    }
    let type = types.schema[type: record.recordType] ?? .learned(name: record.recordType)
    let name = call.caller.userRecordName
    return .publicRecord(
      grants: type.grants.permissions(
        roles: types.roles, isSignedIn: name != nil,
        isCreator: name != nil && record.created.userRecordName == name))
  }

  func view(_ desiredKeys: Set<String>?, numbersAsStrings: Bool) -> RecordView {
    RecordView(
      access: access, caller: call.caller, desiredKeys: desiredKeys,
      style: FieldStyle(numbersAsStrings: numbersAsStrings), serverAddress: call.serverAddress,
      addresses: addresses,
      sealer: sealer)
  }
}
