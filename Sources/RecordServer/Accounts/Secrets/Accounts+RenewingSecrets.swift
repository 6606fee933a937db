package import CloudRecords
import RecordStorage

/// The secrets that a server signs with: those of forms and successors of tokens, and that of
/// files' addresses and receipts.
///
/// What gives names stays what it was made at the first start, since names never change.
extension Accounts {
  /// How long what the former secrets signed is good: as long as the receipts of files.
  private var graceSeconds: Int64 { Int64(server.limits.assetReceiptSeconds) }

  /// Makes the secrets anew.
  ///
  /// Other processes know within a minute.
  ///
  /// - Parameter atOnce: What the former secrets signed is good no more: uploads and downloads that
  ///   were begun have to begin anew.
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

  /// Learns which secrets count, as another process may have renewed them.
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

  /// The secrets that forms and tokens are signed with; before they were first renewed, the one
  /// that gives names.
  static func ring(of names: ServerSecret, in transaction: any StorageReading) throws -> SecretRing
  {
    try transaction.value(of: AccountKeys.signingSecret).map { try SecretRing(form: $0) }
      ?? SecretRing(current: names.bytes)
  }
}
