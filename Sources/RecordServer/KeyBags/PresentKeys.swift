import CloudRecords
import RecordStorage

/// Says whether a user's keys are still those under which a client has sealed values.
///
/// A user's public key bag has other contents, and with them another generation, only where the
/// user has begun anew with other keys.
struct PresentKeys {
  /// Only the user's own keys are compared: zones of others have the keys of their owners.
  private let isCompared: Bool
  private let present: Int64?

  init(of call: Call, in transaction: any StorageReading) throws {
    guard call.scope == .private, let user = call.caller.userRecordName else {
      (isCompared, present) = (false, nil)
      return
    }
    let key = DatabaseKeys(realm: call.realm, owner: user).userKeyBag(isPublic: true)
    isCompared = true
    present = try transaction.value(of: key).map { try StoredKeyBag(bytes: $0).generation }
  }

  /// Refuses what is sealed under keys that were replaced.
  ///
  /// - Parameter named: The generation of the keys, as the client names it.
  func check(_ named: Int64) throws(CloudError) {
    guard isCompared, present != named else { return }
    throw CloudError(
      .conflict,
      "The record's values are sealed under keys of the generation \(named), and the user has begun anew with others. Fetch the key bags of the user, and seal the values under the present keys.",
      extension: .keysReplaced)
  }
}
