package import CloudRecords
import Cryptography
import RecordStorage

/// The administrators' key: one per server, independent of all accounts.
extension Accounts {
  /// Whether a text is the administrators' key.
  package func isAdministratorKey(_ text: String) async throws(CloudError) -> Bool {
    guard let key = Secret(text: text) else { return false }
    let known = try await read { transaction in
      try transaction.value(of: AccountKeys.administratorKey).map(StoredSecretBytes.bytes)
    }
    return known.map { ConstantTime.areEqual($0, key.hash.bytes) } ?? false
  }

  /// Creates the server's first administrators' key.
  ///
  /// Only a program that can show the key to its operator should call this method.
  ///
  /// - Returns: The key, which cannot be shown again; nil if one exists.
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

  /// Replaces the administrators' key.
  ///
  /// The old one becomes invalid.
  ///
  /// - Returns: The new key, which cannot be shown again.
  package func replaceAdministratorKey() async throws(CloudError) -> String {
    let key = Secret(bytes: settings.randomBytes(Secret.byteCount))
    let form = StoredSecretBytes.form(of: key.hash.bytes)
    try await write { transaction in try transaction.set(form, for: AccountKeys.administratorKey) }
    return key.text
  }
}
