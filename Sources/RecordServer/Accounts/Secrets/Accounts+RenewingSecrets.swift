package import CloudRecords
import RecordStorage

/// Renewal of the secrets for forms, token successors, and addresses and receipts of files.
///
/// The secret for user record names is never renewed, because those names never change.
extension Accounts {
  /// The time that signatures of former secrets stay valid: the lifetime of file receipts.
  private var graceSeconds: Int64 { Int64(server.limits.assetReceiptSeconds) }

  /// Renews the secrets.
  ///
  /// Other processes use the new secrets after their next maintenance, by default within a minute.
  ///
  /// - Parameter atOnce: Whether the former secrets become invalid immediately, which breaks
  ///   running uploads and downloads.
  package func renewSecrets(atOnce: Bool = false) async throws(CloudError) {
    let (own, files) = (
      settings.randomBytes(Secret.byteCount), settings.randomBytes(Secret.byteCount)
    )
    let (time, seconds, names) = (now, atOnce ? 0 : graceSeconds, secret)
    try await writeEverywhere { transaction in
      let ring = try Self.ring(of: names, in: transaction).renewed(
        by: own, at: time, graceSeconds: seconds)
      try transaction.set(ring.form, for: AccountKeys.signingSecret)
      let known = try transaction.value(of: AssetKeys.secret).map { try SecretRing(form: $0) }
      let next =
        known?.renewed(by: files, at: time, graceSeconds: seconds) ?? SecretRing(current: files)
      try transaction.set(next.form, for: AssetKeys.secret)
    }
    try await refreshSecrets()
  }

  /// Reloads the secrets, which another process may have renewed.
  package func refreshSecrets() async throws(CloudError) {
    let names = secret
    let (own, files) = try await server.read(nil) { transaction in
      (
        try Self.ring(of: names, in: transaction),
        try transaction.value(of: AssetKeys.secret).map { try SecretRing(form: $0) }
      )
    }
    signing.learn(own)
    if let files { server.addresses.learn(files) }
  }

  /// The secrets for forms and tokens; before their first renewal, the one for user record names.
  static func ring(of names: ServerSecret, in transaction: any StorageReading) throws -> SecretRing
  {
    try transaction.value(of: AccountKeys.signingSecret).map { try SecretRing(form: $0) }
      ?? SecretRing(current: names.bytes)
  }
}
