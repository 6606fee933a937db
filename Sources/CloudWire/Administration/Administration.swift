package import JSONCoding

/// A request of an administrator.
///
/// Each operation reads some members, and reports missing ones.
package struct AdministrationRequest: WireRequest, Hashable {
  /// The name with which a user signs in.
  package var name: String?
  package var password: String?
  package var givenName: String?
  package var familyName: String?
  /// A role of a schema.
  package var role: String?
  package var container: String?
  package var environment: String?
  /// The identifier of a token or a key.
  package var identifier: String?
  package var label: String?
  package var origins: [String] = []
  package var callback: String?
  /// The expiration time in milliseconds since 1970.
  package var expires: Int64?
  /// A public key, in PEM.
  package var publicKey: String?
  /// A schema in the language of `.ckdb` files.
  package var schema: String?
  /// Whether the operation only reports what it would change.
  package var dryRun = false
  /// Whether records may be erased.
  package var erase = false
  package var revokePermissions = false
  /// Whether former secrets become invalid immediately.
  package var atOnce = false
  /// Whether the check is complete, which takes long.
  package var thorough = false
  /// Whether to delete files in the backup folder that only earlier backups need.
  package var prune = false

  private enum Key: String, JSONKey {
    case name, password, givenName, familyName, role, container, environment, identifier, label,
      origins, callback
    case expires, publicKey, schema, dryRun, erase, revokePermissions, atOnce, thorough, prune
    static let table = JSONKeyTable<Key>()
  }

  package init() {}

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .name: name = try reader.optionalText()
      case .password: password = try reader.optionalText()
      case .givenName: givenName = try reader.optionalText()
      case .familyName: familyName = try reader.optionalText()
      case .role: role = try reader.optionalText()
      case .container: container = try reader.optionalText()
      case .environment: environment = try reader.optionalText()
      case .identifier: identifier = try reader.optionalText()
      case .label: label = try reader.optionalText()
      case .origins: origins = try reader.optionalTexts() ?? []
      case .callback: callback = try reader.optionalText()
      case .expires:
        expires = try reader.optional { (reader) throws(JSONError) in try reader.int64OrText() }
      case .publicKey: publicKey = try reader.optionalText()
      case .schema: schema = try reader.optionalText()
      case .dryRun: dryRun = try reader.optionalBool() ?? false
      case .erase: erase = try reader.optionalBool() ?? false
      case .revokePermissions: revokePermissions = try reader.optionalBool() ?? false
      case .thorough: thorough = try reader.optionalBool() ?? false
      case .prune: prune = try reader.optionalBool() ?? false
      case .atOnce: atOnce = try reader.optionalBool() ?? false
      }
    }
  }
}

/// The response to an administrator: an object whose members depend on the operation.
package struct AdministrationResponse: WireResponse, Hashable {
  package var document: JSONValue

  package init(_ members: KeyValuePairs<String, JSONValue?>) { document = .present(members) }

  package func write(to writer: inout JSONWriter) { document.write(to: &writer) }
}

extension JSONValue {
  /// Creates an object of the members that have a value.
  package static func present(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { key, value in value.map { Member(key, $0) } })
  }
}
