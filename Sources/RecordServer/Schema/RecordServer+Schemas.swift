package import CloudRecords
package import CloudSchema
import RecordStorage

/// Administration of schemas. The caller has checked the administrator's permission.
///
/// Schemas are exported as `schema(of:).text`, the language of `.ckdb` files.
extension RecordServer {
  /// The schema of a container in one environment.
  package func schema(of address: ContainerAddress) async throws(SchemaFailure) -> Schema {
    try await look(address.container) { $0.schema(of: address.environment) }
  }

  // MARK: Development

  /// Plans an import without performing it, which also validates a text.
  package func planImport(
    of text: [UInt8], into container: String
  ) async throws(SchemaFailure) -> SchemaReplacement {
    let limits = limits
    return try await look(container) { try $0.importing(text, limits, permitsErasure: true) }
  }

  /// Replaces development's schema.
  ///
  /// Records of types, and values of fields, that the new schema does not have are erased in many
  /// small transactions; until then development accepts no records.
  ///
  /// - Parameter permitsErasure: Whether an import may erase data; otherwise that is an error.
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
  /// Production must not have it.
  package func removeRecordType(
    _ name: String, fromDevelopmentOf container: String
  ) async throws(SchemaFailure) -> SchemaReplacement {
    try await replaceDevelopment(of: container) { handler in
      guard let without = handler.development.schema.without(type: name) else {
        throw SchemaFailure.unknownPart(recordType: name, field: nil)
      }
      return try handler.replacing(by: without)
    }
  }

  /// Removes a field from development, with its values.
  ///
  /// Production must not have it.
  package func removeField(
    _ name: String, of recordType: String, fromDevelopmentOf container: String
  ) async throws(SchemaFailure) -> SchemaReplacement {
    try await replaceDevelopment(of: container) { handler in
      guard let without = handler.development.schema.without(field: name, of: recordType) else {
        throw SchemaFailure.unknownPart(recordType: recordType, field: name)
      }
      return try handler.replacing(by: without)
    }
  }

  /// Resets development to production's schema, and erases all its records and zones.
  ///
  /// Users stay, with their sessions, subscriptions, and emptied user records in the public
  /// database.
  package func resetDevelopment(of container: String) async throws(SchemaFailure)
    -> SchemaReplacement
  {
    try await replaceDevelopment(of: container, erasure: .everything) { handler in
      handler.development.schema.reset(to: handler.production.schema)
    }
  }

  // MARK: Production

  /// Plans a deployment without performing it.
  package func planDeployment(
    of container: String, revokingPermissions: Bool = false
  ) async throws(SchemaFailure) -> SchemaDifference {
    try await look(container) { try $0.deployment(revokingPermissions: revokingPermissions) }
  }

  /// The differences between development and production, whether deployable or not.
  package func schemaDifference(of container: String) async throws(SchemaFailure)
    -> SchemaDifference
  {
    try await look(container) {
      SchemaDifference(from: $0.production.schema, to: $0.development.schema)
    }
  }

  /// Deploys development's schema to production.
  ///
  /// - Parameter revokingPermissions: Whether roles and permissions that development does not have
  ///   are revoked.
  /// - Returns: The changes in production.
  package func deploySchema(
    of container: String, revokingPermissions: Bool = false
  ) async throws(SchemaFailure) -> SchemaDifference {
    let realms = try await realms(of: container)
    try await finishReplacement(in: realms.development)
    return try await change { transaction, parsed in
      let handler = try SchemaHandler(realms, transaction, parsed)
      let difference = try handler.deployment(revokingPermissions: revokingPermissions)
      handler.production.replace(by: handler.development.schema)
      try handler.production.store(in: transaction)
      return difference
    }
  }
}

// MARK: - Changing schemas

extension RecordServer {
  private func look<Result: Sendable>(
    _ container: String, _ body: @escaping @Sendable (SchemaHandler) throws -> Result
  ) async throws(SchemaFailure) -> Result {
    let realms = try await realms(of: container)
    let parsed = parsedSchemas
    do {
      return try await engine.read(in: SchemaCopy.partition) {
        try body(try SchemaHandler(realms, $0, parsed))
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
    _ decide: @escaping @Sendable (SchemaHandler) throws -> SchemaReplacement
  ) async throws(SchemaFailure) -> SchemaReplacement {
    let realms = try await realms(of: container)
    try await finishReplacement(in: realms.development)
    let now = environment.now()
    let replacement = try await change { transaction, parsed in
      let handler = try SchemaHandler(realms, transaction, parsed)
      try handler.development.checkIsSettled()
      let replacement = try decide(handler)
      let erasure = erasure ?? SchemaErasure(of: replacement)
      if erasure.isNothing {
        handler.development.replace(by: replacement.schema)
        try handler.development.store(in: transaction)
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

  private func realms(of container: String) async throws(SchemaFailure) -> SchemaHandler.Realms {
    guard let development = try await realm(of: container, .development),
      let production = try await realm(of: container, .production)
    else { throw .unknownContainer(container) }
    return SchemaHandler.Realms(development: development, production: production)
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
private struct SchemaHandler {
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
