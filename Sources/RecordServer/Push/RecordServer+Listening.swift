package import CloudRecords
import RecordStorage

extension RecordServer {
  /// Sees that somebody listens by a token, and notes that their device is still there.
  ///
  /// - Returns: The version of the schema that the listener's records have, of all containers and
  ///   environments that know the token.
  /// - Throws: `AUTHENTICATION_FAILED` where the token is nobody's, any more: the device was
  ///   forgotten, or its session has ended.
  @discardableResult
  package func checkListener(by token: String) async throws(CloudError) -> SchemaVersion {
    let (now, parsed) = (environment.now(), parsedSchemas)
    let (known, versions) = try await read(nil) { transaction in
      let known = try PushListener.devices(listeningBy: token, in: transaction)
      let realms = Set(known.map(\.store.realm)).sorted { $0.number < $1.number }
      return (
        known,
        try realms.map { try SchemaCopy(of: $0, in: transaction, parsed: parsed).storedVersion }
      )
    }
    guard !known.isEmpty else {
      throw CloudError(
        .authenticationFailed,
        "Nobody listens by this token any more. Ask tokens/create for another.")
    }
    let version = SchemaVersion(of: versions)
    guard known.contains(where: { $0.device != $0.device.seen(at: now) }) else { return version }
    try await write(nil) { transaction in
      for (store, device) in try PushListener.devices(listeningBy: token, in: transaction) {
        try store.note(device.seen(at: now), in: transaction)
      }
    }
    return version
  }
}
