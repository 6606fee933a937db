package import CloudRecords
import CloudSchema
package import CloudWire
import RecordStorage

extension RecordServer {
  /// `assets/upload`: returns an upload address for each field.
  package func requestUploads(
    _ request: AssetsUploadRequest, _ call: Call
  ) async throws(CloudError) -> AssetsUploadResponse {
    try limits.check(request.fields.count, "uploads")
    for field in request.fields { try UploadCheck.checkNames(of: field) }
    let zone = (request.zone ?? ZoneReference()).identifier(caller: call.callerName)
    let server = self
    let owner = try await read(call.scope == .private ? call.callerName : nil) { transaction in
      let check = try UploadCheck(zone, call, server, transaction)
      for field in request.fields { try check.allow(field) }
      try check.allowGrowth()
      return check.owner
    }
    let expires = dependencies.now().adding(seconds: Int64(limits.assetAddressSeconds))
    return AssetsUploadResponse(
      tokens: request.fields.map { token(for: $0, call, owner: owner, expires: expires) })
  }

  private func token(
    for field: AssetField, _ call: Call, owner: String, expires: Timestamp
  ) -> AssetsUploadResponse.Token {
    // If the client names no record, its receipt is valid for the field in any record of the
    // database.
    let grant = UploadGrant(
      realm: call.realm, scope: call.scope, owner: owner,
      userRecordName: call.caller.userRecordName ?? "",
      recordName: field.recordName, fieldName: field.fieldName, expires: expires)
    return AssetsUploadResponse.Token(
      recordName: field.recordName ?? UUIDText.text(dependencies.makeName()),
      fieldName: field.fieldName,
      url: call.serverAddress + addresses.upload(for: grant) + UploadProgressResponse.mark)
  }
}

/// Checks whether the caller may upload files for fields.
///
/// The caller must have the permission to save the record, as far as that is known before the save.
private struct UploadCheck {
  private let call: Call
  private let transaction: any StorageReading
  private let access: ZoneAccess
  private let schema: Schema
  private let user: StoredUser?
  private let limits: ServiceLimits

  init(
    _ zone: RecordZoneIdentifier, _ call: Call, _ server: RecordServer,
    _ transaction: any StorageReading
  ) throws {
    self.call = call
    self.transaction = transaction
    limits = server.limits
    access = try ZoneFinder(call: call).find(zone, in: transaction)
    schema = try SchemaCopy(of: call.realm, in: transaction, parsed: server.parsedSchemas).schema
    user = try UserDirectory(realm: call.realm).user(of: call.caller, in: transaction)
  }

  /// The owner of the zone's database.
  var owner: String { access.keys.database.owner }

  static func checkNames(of field: AssetField) throws(CloudError) {
    let names: [(CloudName, String?, String)] = [
      (.recordName, field.recordName, "record name"),
      (.recordType, field.recordType, "record type"),
      (.fieldName, field.fieldName, "field name"),
    ]
    for (kind, name, what) in names {
      guard let name, let defect = kind.defect(in: name) else { continue }
      throw CloudError(.badRequest, "The \(what) “\(name.asNameInSentence)” \(defect).")
    }
  }

  /// Throws if the database may not grow.
  func allowGrowth() throws {
    try QuotaLedger(limits: limits, caller: call.caller.userRecordName, transaction: transaction)
      .checkMayGrow(access.keys.database)
  }

  func allow(_ field: AssetField) throws {
    // The draft is only read.
    let draft = ZoneDraft(zone: access.zone, keys: access.keys, transaction: transaction)
    let existing = try field.recordName.flatMap { try draft.record($0) }
    let (action, subject) = try target(existing, type: field.recordType)
    let permission = Permission.decide(action, by: call.caller, on: subject)
    if let error = permission.error(hiding: ZoneFinder.notFound(access.identifier)) { throw error }
    try checkType(of: field, recordType: existing?.recordType ?? field.recordType)
  }

  /// The action that the upload prepares: changing a record that the caller may read, or creating
  /// one.
  private func target(_ existing: StoredRecord?, type: String?) throws -> (Action, Subject) {
    if access.isPublic {
      let creator = existing?.created.userRecordName
      guard let name = existing?.recordType ?? type else {
        throw CloudError(.badRequest, "A file for a new record needs the record's type.")
      }
      return (
        existing == nil ? .createRecord : .changeRecord,
        .publicRecord(grants: grants(name, creator: creator))
      )
    }
    if let existing {
      let subject =
        existing.share == nil ? access.subject(of: existing) : access.subject(ofShare: existing)
      let isKnown = Permission.decide(.readRecord, by: call.caller, on: subject) == .allowed
      if isKnown { return (existing.share == nil ? .changeRecord : .changeShare, subject) }
    }
    return (.createRecord, subjectOfNew)
  }

  /// The subject of a new record, through the share that grants the most.
  ///
  /// The record may get a parent in any share.
  private var subjectOfNew: Subject {
    guard case .shared(let shares) = access.view, !shares.contains(where: \.coversZone) else {
      return access.subject(of: nil)
    }
    let subjects = shares.map { Subject.others($0.standing, .inTree) }
    let allowed = subjects.first {
      Permission.decide(.createRecord, by: call.caller, on: $0) == .allowed
    }
    return allowed ?? subjects.first ?? access.subject(of: nil)
  }

  private func grants(_ recordType: String, creator: String?) -> RecordPermissions {
    let type = schema[type: recordType] ?? .learned(name: recordType)
    let name = call.caller.userRecordName
    return type.grants.permissions(
      roles: user?.roles ?? [], isSignedIn: name != nil,
      isCreator: creator != nil && creator == name)
  }

  private func checkType(of field: AssetField, recordType: String?) throws(CloudError) {
    guard let recordType else { return }
    guard let datatype = schema[type: recordType]?[field: field.fieldName]?.datatype else {
      return try checkNew(field, of: recordType)
    }
    guard datatype.fieldType != .asset, datatype.fieldType?.member != .asset else { return }
    throw CloudError(
      .badRequest,
      "The field \(field.fieldName) of \(recordType) is \(datatype.schemaText) and holds no files. Name a field of assets."
    )
  }

  /// Throws if the schema would reject a record with a field that it lacks.
  private func checkNew(_ field: AssetField, of recordType: String) throws(CloudError) {
    let place = SaveContext(environment: call.container.environment, database: call.scope)
    let written = WrittenRecord(
      recordType: recordType, fields: [WrittenField(name: field.fieldName, type: .named(.asset))])
    _ = try schema.check(written, in: place, limits: limits)
  }
}
