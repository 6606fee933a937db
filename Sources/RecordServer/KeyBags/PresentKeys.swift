import CloudRecords
import RecordStorage

/// Says whether a user's keys are still those under which a client has sealed values.
///
/// A user's public key bag has other contents, and with them another generation, only where the user has begun anew with other keys.
enum PresentKeys {
  /// Refuses what is sealed under keys that were replaced, as far as the client names them.
  ///
  /// Only the user's own keys are compared: zones of others have the keys of their owners.
  static func check(_ call: Call, in transaction: any StorageReading) throws {
    guard let named = call.keyGeneration, call.scope == .private, let user = call.caller.userRecordName else { return }
    let key = DatabaseKeys(realm: call.realm, owner: user).userKeyBag(isPublic: true)
    let present = try transaction.value(of: key).map { try StoredKeyBag(bytes: $0).generation }
    guard present != named else { return }
    throw CloudError(
      .conflict,
      "The values of the request are sealed under keys of the generation \(named), and the user has begun anew with others. Fetch the key bags of the user, and seal the values under the present keys.",
      extension: .keysReplaced)
  }
}
