package import CloudRecords
import CloudSchema
import RecordStorage

/// Somebody, in one environment of a container, and the roles of its schema that an administrator
/// gave.
package struct RoleHolder: Hashable, Sendable {
  /// The name that the person signs in by; nil for a program's key.
  package let name: String?
  package let userRecordName: String
  package let roles: [String]
}

/// Roles of a schema, by which its record types grant permissions in the public database.
///
/// They are read with each request, so what is given or taken counts at once. A role that the
/// schema loses stays with who has it, grants nothing, and counts again when the schema gets it
/// back.
extension Accounts {
  /// Gives somebody a role.
  ///
  /// - Parameter name: The name that a person signs in by, or the identifier of a program's key.
  /// - Throws: `BAD_REQUEST` where the schema has no such role; `NOT_FOUND`.
  package func grantRole(
    _ role: String, to name: String, in container: ContainerAddress
  ) async throws(CloudError) -> RoleHolder {
    try await changeRoles(of: name, in: container) { roles, known in
      guard known.contains(role) else { throw Self.unknownRole(role, known, container) }
      roles.insert(role)
    }
  }

  /// Takes a role from somebody; one that the schema has lost, too.
  ///
  /// - Parameter name: The name that a person signs in by, or the identifier of a program's key.
  package func revokeRole(
    _ role: String, of name: String, in container: ContainerAddress
  ) async throws(CloudError) -> RoleHolder {
    try await changeRoles(of: name, in: container) { roles, known in
      guard roles.remove(role) != nil || known.contains(role) else {
        throw Self.unknownRole(role, known, container)
      }
    }
  }

  /// The roles of a schema, and who has some, by name.
  package func roles(
    in container: ContainerAddress
  ) async throws(CloudError) -> (ofSchema: [String], holders: [RoleHolder]) {
    let realm = try await realm(of: container)
    let nameOfUser = try await namesOfUsers(in: container.container)
    return try await server.read(nil) { [self] transaction in
      let schema = try SchemaCopy(of: realm, in: transaction, parsed: server.parsedSchemas).schema
      let holders = try UserDirectory(realm: realm).all(in: transaction).compactMap {
        user -> RoleHolder? in
        guard !user.roles.isEmpty, let userRecordName = user.identity.userRecordName else {
          return nil
        }
        return RoleHolder(
          name: nameOfUser[userRecordName], userRecordName: userRecordName, roles: user.roles)
      }
      let sorted = holders.sorted {
        ($0.name ?? "", $0.userRecordName) < ($1.name ?? "", $1.userRecordName)
      }
      return (schema.roles.sorted(), sorted)
    }
  }
}

// MARK: - The way of a change

extension Accounts {
  private func changeRoles(
    of name: String, in container: ContainerAddress,
    _ body: @escaping @Sendable (_ roles: inout Set<String>, _ known: Set<String>) throws -> Void
  ) async throws(CloudError) -> RoleHolder {
    let realm = try await realm(of: container)
    return try await writeEverywhere { [self] transaction in
      let known = try SchemaCopy(of: realm, in: transaction, parsed: server.parsedSchemas).schema
        .roles
      let (accountName, userRecordName) = try introduce(name, to: container, realm, transaction)
      let users = UserDirectory(realm: realm)
      var user =
        try users.user(named: userRecordName, in: transaction)
        ?? StoredUser(identity: UserIdentity(userRecordName: userRecordName))
      var roles = Set(user.roles)
      try body(&roles, known)
      user.roles = roles.sorted()
      try users.save(user, named: userRecordName, in: transaction)
      return RoleHolder(name: accountName, userRecordName: userRecordName, roles: user.roles)
    }
  }

  /// Finds who is meant; a person gets to be known to the container as by signing in.
  ///
  /// Keys go first: nobody can get what a program is given by taking its key's identifier for a
  /// name.
  private func introduce(
    _ name: String, to container: ContainerAddress, _ realm: Realm,
    _ transaction: any StorageWriting
  ) throws -> (accountName: String?, userRecordName: String) {
    if Hexadecimal.bytes(name, count: 32) != nil,
      let bytes = try transaction.value(of: AccountKeys.serverKey(name))
    {
      let key = try ServerKey(bytes: bytes)
      guard key.container == container else {
        throw CloudError(
          .badRequest,
          "The key “\(name)” is one of \(key.container.shown), not of \(container.shown).")
      }
      return (nil, userRecordName(of: key))
    }
    let account = try AccountDirectory.existing(try SignInName(name), in: transaction)
    let userRecordName = userRecordName(of: account, in: container.container)
    try AccountDirectory.introduce(
      account, as: userRecordName, in: realm, container.container, transaction)
    return (account.name, userRecordName)
  }

  private static func unknownRole(
    _ role: String, _ known: Set<String>, _ container: ContainerAddress
  ) -> CloudError {
    let all =
      known.isEmpty
      ? "none; “CREATE ROLE” in a schema makes one" : known.sorted().joined(separator: ", ")
    return CloudError(
      .badRequest,
      "The schema of \(container.shown) has no role “\(role.cut(toBytes: 64))”. Its roles: \(all).")
  }
}

extension ContainerAddress {
  fileprivate var shown: String { "\(container)/\(environment.rawValue)" }
}
