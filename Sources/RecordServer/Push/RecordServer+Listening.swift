package import CloudRecords
import RecordStorage

extension RecordServer {
  /// Sees that somebody listens by a token, and notes that their device is still there.
  ///
  /// - Throws: `AUTHENTICATION_FAILED` where the token is nobody's, any more: the device was forgotten, or its session has ended.
  package func checkListener(by token: String) async throws(CloudError) {
    let now = environment.now()
    let known = try await read(nil) { try PushListener.devices(listeningBy: token, in: $0) }
    guard !known.isEmpty else {
      throw CloudError(.authenticationFailed, "Nobody listens by this token any more. Ask tokens/create for another.")
    }
    guard known.contains(where: { $0.device != $0.device.seen(at: now) }) else { return }
    try await write(nil) { transaction in
      for (store, device) in try PushListener.devices(listeningBy: token, in: transaction) {
        try store.note(device.seen(at: now), in: transaction)
      }
    }
  }
}
