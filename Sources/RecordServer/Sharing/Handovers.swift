import BinaryCoding
package import CloudRecords
import Cryptography
import RecordStorage

/// Hands a share over from the server's invitation page to a program of the same user.
///
/// When the user asks for it, the page gives the program a token, which the program sends when it
/// fetches the share. The token proves that the user chose this share on this server's page, and
/// that no other page opened the program.
package struct Handovers {
  let server: RecordServer

  package init(_ server: RecordServer) { self.server = server }

  /// The time within which a program must use a token, in seconds.
  private static let seconds: Int64 = 300

  /// Makes a token for the caller and a share.
  ///
  /// It replaces the caller's former one.
  package func make(forShare name: String, _ call: Call) async throws(CloudError) -> String {
    let token = server.dependencies.makeName()
    let handover = Handover(
      tokenHash: Self.hash(token), shareName: name,
      end: server.dependencies.now().adding(seconds: Self.seconds))
    let key = Self.key(call)
    try await server.write(nil) { try $0.set(handover.bytes, for: key) }
    return token
  }

  /// Consumes a token.
  ///
  /// - Throws: `ACCESS_DENIED` if it is not the caller's latest, is for another share, or expired.
  func take(_ token: String, forShare name: String, _ call: Call) async throws(CloudError) {
    let (key, now, hash) = (Self.key(call), server.dependencies.now(), Self.hash(token))
    let isGood = try await server.write(nil) { transaction in
      guard let bytes = try transaction.value(of: key) else { return false }
      let known = try Handover(bytes: bytes)
      guard ConstantTime.areEqual(known.tokenHash, hash) else { return false }
      try transaction.remove(key)
      return known.shareName == name && now < known.end
    }
    guard isGood else {
      throw CloudError(
        .accessDenied,
        """
        The invitation page did not hand this share over to this user, or too long ago. Choose \
        “Open in Application” on the page again.
        """
      )
    }
  }

  private static func hash(_ token: String) -> [UInt8] {
    var digest = Digest(.sha256)
    digest.update(token)
    return digest.finish()
  }

  private static func key(_ call: Call) -> StorageKey {
    DatabaseKeys(realm: call.realm, owner: call.callerName).key(.handover)
  }
}

/// A stored token for one share and one user.
private struct Handover: Sendable {
  var tokenHash: [UInt8]
  var shareName: String
  var end: Timestamp

  init(tokenHash: [UInt8], shareName: String, end: Timestamp) {
    (self.tokenHash, self.shareName, self.end) = (tokenHash, shareName, end)
  }

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 96)
    form.byte(1)
    form.data(tokenHash)
    form.text(shareName)
    form.signed(end.milliseconds)
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == 1 else { throw form.error("an unknown form of handover") }
    tokenHash = try form.data()
    shareName = try form.text()
    end = Timestamp(milliseconds: try form.signed())
  }
}
