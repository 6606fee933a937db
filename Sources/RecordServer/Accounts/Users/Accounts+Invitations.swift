import BinaryCoding
package import CloudRecords
import RecordStorage

/// A new invitation, as shown once to the administrator.
package struct MadeInvitation: Hashable, Sendable {
  package let code: String
  package let expires: Timestamp
}

/// Invitation codes for a server without open sign-up. Each creates one account.
extension Accounts {
  /// Creates an invitation code, and removes expired ones.
  ///
  /// - Parameter expires: The expiry date; nil for two weeks from now.
  package func invite(until expires: Timestamp? = nil) async throws(CloudError) -> MadeInvitation {
    try checkEnd(expires)
    let code = InvitationCode(bytes: settings.randomBytes(InvitationCode.byteCount))
    let (hash, time) = (code.hash, now)
    let end = expires ?? time.adding(seconds: settings.invitationSeconds)
    try await write { transaction in
      for entry in try transaction.entries(in: AccountKeys.invitations)
      where try Invitation(bytes: entry.value).expires <= time {
        try transaction.remove(entry.key)
      }
      try transaction.set(
        Invitation(created: time, expires: end).bytes, for: AccountKeys.invitation(hash))
    }
    return MadeInvitation(code: code.text, expires: end)
  }

  /// Validates the invitation code that a person typed.
  ///
  /// - Throws: `ACCESS_DENIED` if the code is unknown, used or expired.
  func invitation(typed: String?) async throws(CloudError) -> InvitationCode {
    let time = now
    guard let code = typed.flatMap(InvitationCode.init(typed:)) else { throw Self.noInvitation }
    let isGood = try await read { transaction in
      try Invitation.isGood(code, at: time, in: transaction)
    }
    guard isGood else { throw Self.noInvitation }
    return code
  }

  /// Consumes an invitation, in the transaction that creates its account.
  static func use(_ code: InvitationCode, at time: Timestamp, in transaction: any StorageWriting)
    throws
  {
    guard try Invitation.isGood(code, at: time, in: transaction) else { throw noInvitation }
    try transaction.remove(AccountKeys.invitation(code.hash))
  }

  private static let noInvitation = CloudError(
    .accessDenied,
    "The invitation code is unknown, used or expired. Ask the server's administrator for another one."
  )
}

/// The stored encoding of an invitation, keyed by the code's hash.
private struct Invitation {
  private static let version: UInt8 = 1

  let created: Timestamp
  let expires: Timestamp

  init(created: Timestamp, expires: Timestamp) { (self.created, self.expires) = (created, expires) }

  static func isGood(_ code: InvitationCode, at now: Timestamp, in transaction: any StorageReading)
    throws -> Bool
  {
    guard let bytes = try transaction.value(of: AccountKeys.invitation(code.hash)) else {
      return false
    }
    return now < (try Invitation(bytes: bytes).expires)
  }

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 24)
    form.byte(Self.version)
    form.signed(created.milliseconds)
    form.signed(expires.milliseconds)
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else {
      throw form.error("an unknown form of invitation")
    }
    created = Timestamp(milliseconds: try form.signed())
    expires = Timestamp(milliseconds: try form.signed())
    guard form.isAtEnd else { throw form.error("extra bytes after the end of an invitation") }
  }
}
