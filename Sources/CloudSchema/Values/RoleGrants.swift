/// Permissions for the records of a type in the public database.
package struct RecordPermissions: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let read = RecordPermissions(rawValue: 1)
  package static let create = RecordPermissions(rawValue: 2)
  package static let write = RecordPermissions(rawValue: 4)

  /// Each permission with its keyword, in the order of exports.
  static let words: [(permission: RecordPermissions, word: String)] = [
    (.read, "READ"), (.create, "CREATE"), (.write, "WRITE"),
  ]

  /// The keywords of the permissions in schemas.
  package var words: [String] { Self.words.filter { contains($0.permission) }.map(\.word) }
}

/// Roles that every schema has.
package enum SystemRole: String, CaseIterable, Hashable, Sendable {
  /// All users, including those without an account.
  case world = "_world"
  /// All users who are signed in.
  case signedIn = "_icloud"
  /// The user who created the record.
  case creator = "_creator"
}

/// The permissions of roles for the records of a type in the public database.
package struct RoleGrants: Hashable, Sendable {
  /// Roles with at least one permission.
  private var permissionsByRole: [String: RecordPermissions] = [:]

  package init() {}

  /// The permissions of a new type that the development environment adds when a record is saved.
  ///
  /// All users read, signed-in users create, and the creator changes records.
  package static let ofNewTypes = RoleGrants([.world: .read, .signedIn: .create, .creator: .write])

  /// The permissions of the user type.
  ///
  /// Only the server creates users.
  package static let ofUsers = RoleGrants([.world: .read, .creator: .write])

  private init(_ permissions: [SystemRole: RecordPermissions]) {
    for (role, granted) in permissions { permissionsByRole[role.rawValue] = granted }
  }

  /// The roles that have permissions, ordered by name.
  package var roles: [String] { permissionsByRole.keys.sorted() }

  package subscript(role: String) -> RecordPermissions {
    get { permissionsByRole[role] ?? [] }
    set { permissionsByRole[role] = newValue.isEmpty ? nil : newValue }
  }

  /// Returns the permissions of a user for a record.
  ///
  /// - Parameters:
  ///   - roles: The schema's custom roles that the user has.
  ///   - isCreator: Whether the user created the record. A creator with write permission may
  ///     also read it.
  package func permissions(roles: some Sequence<String>, isSignedIn: Bool, isCreator: Bool)
    -> RecordPermissions
  {
    var permissions = self[SystemRole.world.rawValue]
    guard isSignedIn else { return permissions }
    permissions.formUnion(self[SystemRole.signedIn.rawValue])
    for role in roles { permissions.formUnion(self[role]) }
    guard isCreator else { return permissions }
    permissions.formUnion(self[SystemRole.creator.rawValue])
    if permissions.contains(.write) { permissions.insert(.read) }
    return permissions
  }
}
