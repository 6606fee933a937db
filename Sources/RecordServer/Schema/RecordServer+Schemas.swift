package import CloudRecords
package import CloudSchema
import RecordStorage

/// Administration of schemas.
///
/// The caller has checked the administrator's permission. Schemas are exported as
/// `schema(of:).text`, in the language of `.ckdb` files.
extension RecordServer {
  /// The schema of a container in one environment.
  package func schema(of address: ContainerAddress) async throws(SchemaFailure) -> Schema {
    try await withSchemas(address.container) { $0.schema(of: address.environment) }
  }

  // MARK: Development

  /// Plans an import without performing it, and so validates the text.
  package func planImport(
    of text: [UInt8], into container: String
  ) async throws(SchemaFailure) -> SchemaReplacement {
    let limits = limits
    return try await withSchemas(container) { try $0.importing(text, limits, permitsErasure: true) }
  }

  /// Replaces development's schema.
  ///
  /// If the new schema lacks a type or a field, its records or values are erased in many small
  /// transactions. Until the erasure ends, development accepts no records.
  ///
  /// - Parameter permitsErasure: Whether it may erase data; otherwise, it throws if it would.
  /// - Returns: The changes.
  package func importSchema(
    _ text: [UInt8], into container: String, permitsErasure: Bool = true
  ) async throws(SchemaFailure) -> SchemaReplacement {
    let limits = limits
    return try await replaceDevelopment(of: container) {
      try $0.importing(text, limits, permitsErasure: permitsErasure)
    }
  }

  /// Removes a record type from development, with its records.
  ///
  /// Production must not have the type.
  package func removeRecordType(
    _ name: String, fromDevelopmentOf container: String
  ) async throws(SchemaFailure) -> SchemaReplacement {
    try await replaceDevelopment(of: container) { schemas in
      guard let without = schemas.development.schema.without(type: name) else {
        throw SchemaFailure.unknownPart(recordType: name, field: nil)
      }
      return try schemas.replacing(by: without)
    }
  }

  /// Removes a field from development, with its values.
  ///
  /// Production must not have the field.
  package func removeField(
    _ name: String, of recordType: String, fromDevelopmentOf container: String
  ) async throws(SchemaFailure) -> SchemaReplacement {
    try await replaceDevelopment(of: container) { schemas in
      guard let without = schemas.development.schema.without(field: name, of: recordType) else {
        throw SchemaFailure.unknownPart(recordType: recordType, field: name)
      }
      return try schemas.replacing(by: without)
    }
  }

  /// Resets development to production's schema, and erases all of development's records and zones.
  ///
  /// Users stay, with their sessions, subscriptions, and emptied user records in the public
  /// database.
  package func resetDevelopment(of container: String) async throws(SchemaFailure)
    -> SchemaReplacement
  {
    try await replaceDevelopment(of: container, erasure: .everything) { schemas in
      schemas.development.schema.reset(to: schemas.production.schema)
    }
  }

  // MARK: Production

  /// Plans a deployment without performing it.
  package func planDeployment(
    of container: String, revokingPermissions: Bool = false
  ) async throws(SchemaFailure) -> SchemaDifference {
    try await withSchemas(container) { try $0.deployment(revokingPermissions: revokingPermissions) }
  }

  /// The differences between development and production, whether deployable or not.
  package func schemaDifference(of container: String) async throws(SchemaFailure)
    -> SchemaDifference
  {
    try await withSchemas(container) {
      SchemaDifference(from: $0.production.schema, to: $0.development.schema)
    }
  }

  /// Deploys development's schema to production.
  ///
  /// - Parameter revokingPermissions: Whether the deployment revokes roles and permissions that
  ///   development does not have.
  /// - Returns: The changes in production.
  package func deploySchema(
    of container: String, revokingPermissions: Bool = false
  ) async throws(SchemaFailure) -> SchemaDifference {
    let realms = try await realms(of: container)
    try await finishReplacement(in: realms.development)
    return try await change { transaction, parsed in
      let schemas = try SchemaPair(realms, transaction, parsed)
      let difference = try schemas.deployment(revokingPermissions: revokingPermissions)
      schemas.production.replace(by: schemas.development.schema)
      try schemas.production.store(in: transaction)
      return difference
    }
  }
}

// MARK: - Changing schemas

extension RecordServer {
  private func withSchemas<Result: Sendable>(
    _ container: String, _ body: @escaping @Sendable (SchemaPair) throws -> Result
  ) async throws(SchemaFailure) -> Result {
    let realms = try await realms(of: container)
    let parsed = parsedSchemas
    do {
      return try await engine.read(in: SchemaCopy.partition) {
        try body(try SchemaPair(realms, $0, parsed))
      }
    } catch { throw SchemaFailure(error, of: self) }
  }

  private func change<Result: Sendable>(
    _ body: @escaping @Sendable (any StorageWriting, ParsedSchemas) throws -> Result
  ) async throws(SchemaFailure) -> Result {
    let parsed = parsedSchemas
    do {
      return try await engine.write(in: nil) { try body($0, parsed) }
    } catch { throw SchemaFailure(error, of: self) }
  }

  /// Replaces development's schema, at once if nothing must be erased.
  private func replaceDevelopment(
    of container: String, erasure: SchemaErasure? = nil,
    _ decide: @escaping @Sendable (SchemaPair) throws -> SchemaReplacement
  ) async throws(SchemaFailure) -> SchemaReplacement {
    let realms = try await realms(of: container)
    try await finishReplacement(in: realms.development)
    let now = dependencies.now()
    let replacement = try await change { transaction, parsed in
      let schemas = try SchemaPair(realms, transaction, parsed)
      try schemas.development.checkIsSettled()
      let replacement = try decide(schemas)
      let erasure = erasure ?? SchemaErasure(of: replacement)
      if erasure.isNothing {
        schemas.development.replace(by: replacement.schema)
        try schemas.development.store(in: transaction)
      } else {
        let pending = PendingReplacement(replacement, erasure: erasure)
        try transaction.set(pending.bytes, for: SchemaCopy.key(realms.development))
        try MaintenanceTask(.replaceSchema, in: realms.development, due: now).add(in: transaction)
      }
      return replacement
    }
    try await finishReplacement(in: realms.development)
    return replacement
  }

  private func finishReplacement(in realm: Realm) async throws(SchemaFailure) {
    do throws(CloudError) {
      try await finishReplacement(of: realm)
    } catch {
      throw .failed(error)
    }
  }

  private func realms(of container: String) async throws(SchemaFailure) -> SchemaPair.Realms {
    guard let development = try await realm(of: container, .development),
      let production = try await realm(of: container, .production)
    else { throw .unknownContainer(container) }
    return SchemaPair.Realms(development: development, production: production)
  }

  private func realm(
    of container: String, _ environment: CloudEnvironment
  ) async throws(SchemaFailure) -> Realm? {
    do throws(CloudError) {
      return try await realm(of: ContainerAddress(container: container, environment: environment))
    } catch {
      throw .failed(error)
    }
  }
}

/// The two schemas of a container, in one transaction.
private struct SchemaPair {
  struct Realms: Hashable, Sendable {
    let development: Realm
    let production: Realm
  }

  let development: SchemaCopy
  let production: SchemaCopy

  init(_ realms: Realms, _ transaction: any StorageReading, _ parsed: ParsedSchemas) throws {
    development = try SchemaCopy(of: realms.development, in: transaction, parsed: parsed)
    production = try SchemaCopy(of: realms.production, in: transaction, parsed: parsed)
  }

  func schema(of environment: CloudEnvironment) -> Schema {
    (environment == .development ? development : production).schema
  }

  func importing(
    _ text: [UInt8], _ limits: ServiceLimits, permitsErasure: Bool
  ) throws -> SchemaReplacement {
    let replacement = try replacing(by: Schema(text: text, limits: limits))
    guard permitsErasure || !replacement.erases else {
      throw SchemaFailure.wouldErase(replacement.erased)
    }
    return replacement
  }

  func replacing(by schema: Schema) throws(SchemaIssues) -> SchemaReplacement {
    try development.schema.importing(schema, production: production.schema)
  }

  func deployment(revokingPermissions: Bool) throws(SchemaIssues) -> SchemaDifference {
    let new = try development.schema.deployed(
      to: production.schema, revokingPermissions: revokingPermissions)
    return SchemaDifference(from: production.schema, to: new)
  }
}
