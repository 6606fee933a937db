package import CloudRecords
import Cryptography
import RecordStorage

/// The administrators' key: one for the server, apart from all accounts.
extension Accounts {
  /// Whether a text is the administrators' key.
  package func isAdministratorKey(_ text: String) async throws(CloudError) -> Bool {
    guard let key = Secret(text: text) else { return false }
    let known = try await read { transaction in
      try transaction.value(of: AccountKeys.administratorKey).map(StoredSecretBytes.bytes)
    }
    return known.map { ConstantTime.areEqual($0, key.hash.bytes) } ?? false
  }

  /// Makes the server's first key.
  ///
  /// Only who can show it calls this: a server that has begun to listen, and no command beside it.
  ///
  /// - Returns: The key, which cannot be shown again; nil where there is one.
  package func makeFirstAdministratorKey() async throws(CloudError) -> String? {
    let key = Secret(bytes: settings.randomBytes(Secret.byteCount))
    let form = StoredSecretBytes.form(of: key.hash.bytes)
    let isFirst = try await write { transaction in
      guard try transaction.value(of: AccountKeys.administratorKey) == nil else { return false }
      try transaction.set(form, for: AccountKeys.administratorKey)
      return true
    }
    return isFirst ? key.text : nil
  }

  /// Makes another key; the old one proves nothing any more.
  ///
  /// - Returns: The new key, which cannot be shown again.
  package func replaceAdministratorKey() async throws(CloudError) -> String {
    let key = Secret(bytes: settings.randomBytes(Secret.byteCount))
    let form = StoredSecretBytes.form(of: key.hash.bytes)
    try await write { transaction in try transaction.set(form, for: AccountKeys.administratorKey) }
    return key.text
  }
}
