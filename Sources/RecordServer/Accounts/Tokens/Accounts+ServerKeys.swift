package import CloudRecords
import Cryptography
import RecordStorage

extension Accounts {
  /// Registers the public part of a server key, and creates the container if it does not exist.
  ///
  /// - Parameter publicKey: The output of `openssl ec -pubout`.
  /// - Throws: `BAD_REQUEST` if the output is not a P-256 public key.
  package func addServerKey(
    publicKey pem: String, for container: ContainerAddress, label: String = "",
    expires: Timestamp? = nil
  ) async throws(CloudError) -> ServerKey {
    try checkEnd(expires)
    let publicKey = try Self.publicKey(pem)
    let key = ServerKey(
      identifier: Hexadecimal.text(settings.randomBytes(32)), container: container,
      realm: try await server.makeRealm(of: container), label: label, publicKey: publicKey,
      created: now,
      expires: expires, revoked: nil)
    try await write { transaction in
      try transaction.set(key.bytes, for: AccountKeys.serverKey(key.identifier))
    }
    return key
  }

  private static func publicKey(_ pem: String) throws(CloudError) -> [UInt8] {
    do throws(SignaturePublicKey.DecodingError) {
      return try SignaturePublicKey(pem: pem).encoded
    } catch {
      switch error {
      case .isPrivate:
        throw CloudError(
          .badRequest,
          "This is the private key, which the server must not have. Pass the output of “openssl ec -pubout”."
        )
      case .otherCurve:
        throw CloudError(
          .badRequest, "The key is not of the curve P-256, which openssl calls prime256v1.")
      case .unreadable:
        throw CloudError(
          .badRequest, "The text is not a public key in PEM, as “openssl ec -pubout” writes it.")
      }
    }
  }

  /// All keys, including revoked ones, oldest first.
  package func listServerKeys() async throws(CloudError) -> [ServerKey] {
    try await read { transaction in
      try transaction.entries(in: AccountKeys.serverKeys).map { try ServerKey(bytes: $0.value) }
        .sorted { ($0.created, $0.identifier) < ($1.created, $1.identifier) }
    }
  }

  /// Revokes a key, whose signatures are rejected from now on.
  ///
  /// - Throws: `NOT_FOUND` if there is no such key.
  package func revokeServerKey(_ identifier: String) async throws(CloudError) {
    let time = now
    try await write { transaction in
      guard let bytes = try transaction.value(of: AccountKeys.serverKey(identifier)) else {
        throw CloudError(.notFound, "There is no key “\(identifier)”.")
      }
      var key = try ServerKey(bytes: bytes)
      key.revoked = key.revoked ?? time
      try transaction.set(key.bytes, for: AccountKeys.serverKey(identifier))
    }
    serverKeys.forgetAll()
  }

  /// The user record name that a key's changes have as their author.
  package func userRecordName(of key: ServerKey) -> String {
    secret.userRecordName(ofKey: key.identifier, in: key.container.container)
  }

  /// The key with an identifier, valid or not.
  func serverKey(_ identifier: String) async throws(CloudError) -> UsableServerKey? {
    guard Hexadecimal.bytes(identifier, count: 32) != nil else { return nil }
    return try await serverKeys.value(for: identifier, at: now) { () async throws(CloudError) in
      try await read { transaction in
        guard let bytes = try transaction.value(of: AccountKeys.serverKey(identifier)) else {
          return nil
        }
        let key = try ServerKey(bytes: bytes)
        return UsableServerKey(key: key, verifier: try SignaturePublicKey(encoded: key.publicKey))
      }
    }
  }
}
