package import CloudRecords
import RecordStorage

extension RecordServer {
  /// Validates a listener's token, and records that the device is still active.
  ///
  /// - Returns: The combined version of the schemas of all realms in which the token is registered.
  /// - Throws: `AUTHENTICATION_FAILED` if the token is invalid because the device was removed or
  ///   its session has ended.
  @discardableResult
  package func checkListener(by token: String) async throws(CloudError) -> SchemaVersion {
    let (now, parsed) = (dependencies.now(), parsedSchemas)
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
        "The token is no longer registered. Use tokens/create for another one.")
    }
    let version = SchemaVersion(of: versions)
    guard known.contains(where: { $0.device != $0.device.seen(at: now) }) else { return version }
    try await write(nil) { transaction in
      for (store, device) in try PushListener.devices(listeningBy: token, in: transaction) {
        try store.set(device.seen(at: now), in: transaction)
      }
    }
    return version
  }
}
