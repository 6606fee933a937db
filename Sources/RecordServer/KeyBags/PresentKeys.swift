import CloudRecords
import RecordStorage

/// Checks that a user's keys are still those with which a client has sealed values.
///
/// The generation of a user's public key bag changes only when the user replaces the keys.
struct PresentKeys {
  /// Whether generations are compared: only in the user's own zones, because the zones of other
  /// users have their owners' keys.
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

  /// Throws if the values are sealed with keys that were replaced.
  ///
  /// - Parameter named: The generation of the keys, from the client.
  func check(_ named: Int64) throws(CloudError) {
    guard isCompared, present != named else { return }
    throw CloudError(
      .conflict,
      "The record's values are sealed under keys of the generation \(named), and the user has replaced them. Fetch the key bags of the user, and seal the values under the current keys.",
      extension: .keysReplaced)
  }
}
