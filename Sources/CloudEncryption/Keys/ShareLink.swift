import BinaryCoding
import CloudRecords
import CloudWire
import Cryptography

/// The fragment of a share's URL: a secret, and the fingerprint of the owner's keys.
///
/// Programs do not send fragments to servers. So a link from another channel authenticates both
/// sides: its secret proves that a person has it, and its fingerprint proves the owner's keys.
package struct ShareLink: Hashable, Sendable {
  static let secretByteCount = 32
  static let fingerprintByteCount = 16
  private static let mark = "k="

  let secret: [UInt8]
  /// The fingerprint of the owner's keys.
  let owner: [UInt8]

  init(secret: [UInt8], owner: PublicIdentity) {
    self.secret = secret
    self.owner = owner.fingerprint
  }

  /// Returns the proof that a person who joins leaves for the owner.
  ///
  /// The proof is bound to the person's keys. Only people with the secret can compute it.
  func proof(of identity: PublicIdentity, for scope: KeyScope, in container: ContainerAddress)
    -> [UInt8]
  {
    var form = BinaryWriter(purpose: "parhelion.join.1")
    form.container(container)
    form.scope(scope)
    form.identity(identity)
    return MessageAuthenticationCode.make(of: form.bytes, key: secret)
  }

  /// Whether a proof is valid for a person's keys.
  func isProven(
    by identity: PublicIdentity, _ proof: [UInt8], _ scope: KeyScope, _ container: ContainerAddress
  ) -> Bool {
    ConstantTime.areEqual(self.proof(of: identity, for: scope, in: container), proof)
  }

  // MARK: Text

  /// The fragment, without the number sign.
  package var fragment: String {
    let digits = Base64Text.text(secret + owner)
    return Self.mark
      + String(digits.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" })
  }

  /// Whether a fragment has the prefix of a link, complete or not.
  package static func hasLinkPrefix(_ fragment: String) -> Bool { fragment.hasPrefix(mark) }

  /// Reads a fragment; nil if it is incomplete or not that of a link.
  package init?(fragment: String) {
    guard Self.hasLinkPrefix(fragment) else { return nil }
    let digits = fragment.dropFirst(Self.mark.count).map {
      $0 == "-" ? "+" as Character : $0 == "_" ? "/" : $0
    }
    guard let bytes = Base64Text.bytes(String(digits)),
      bytes.count == Self.secretByteCount + Self.fingerprintByteCount
    else { return nil }
    secret = Array(bytes.prefix(Self.secretByteCount))
    owner = Array(bytes.dropFirst(Self.secretByteCount))
  }
}

extension PublicIdentity {
  /// A short hash of the keys, which other keys cannot have.
  var fingerprint: [UInt8] {
    var form = BinaryWriter(purpose: "parhelion.fingerprint.1")
    form.identity(self)
    var digest = Digest(.sha256)
    digest.update(form.bytes)
    return Array(digest.finish().prefix(ShareLink.fingerprintByteCount))
  }
}

/// The secrets of the links to a zone or share.
struct LinkSecrets: Hashable, Sendable {
  private struct Secret: Hashable, Sendable {
    var time: Timestamp
    var isWithdrawn: Bool
  }

  private var secrets: [[UInt8]: Secret] = [:]

  /// The secret of new links, or nil if there is none.
  ///
  /// Two devices may have created one each. Both are valid, and all devices choose the same one.
  var current: [UInt8]? {
    secrets.filter { !$0.value.isWithdrawn }.min {
      $0.value.time == $1.value.time
        ? $0.key.lexicographicallyPrecedes($1.key) : $0.value.time < $1.value.time
    }?.key
  }

  /// The time of the last link; nil if there is none.
  var lastTime: Timestamp? { secrets.values.map(\.time).max() }

  /// The links that were not withdrawn.
  func links(of owner: PublicIdentity) -> [ShareLink] {
    secrets.filter { !$0.value.isWithdrawn }.map { ShareLink(secret: $0.key, owner: owner) }
  }

  /// Returns the people who prove that they have one of the links.
  func proven(
    _ identities: [PublicIdentity], by proofs: [String: [UInt8]], owner: PublicIdentity,
    _ scope: KeyScope, _ container: ContainerAddress
  ) -> [PublicIdentity] {
    let links = links(of: owner)
    return identities.filter { identity in
      links.contains {
        $0.isProven(by: identity, proofs[identity.userRecordName] ?? [], scope, container)
      }
    }
  }

  mutating func add(_ secret: [UInt8], at time: Timestamp) {
    secrets[secret] = Secret(time: time, isWithdrawn: false)
  }

  /// Withdraws all links, so that they admit no more people.
  mutating func withdraw() { for secret in secrets.keys { secrets[secret]?.isWithdrawn = true } }

  /// Merges the secrets of another device; a link that one of them withdrew stays withdrawn.
  mutating func merge(_ other: LinkSecrets) {
    secrets.merge(other.secrets) { one, other in
      Secret(
        time: min(one.time, other.time), isWithdrawn: one.isWithdrawn || other.isWithdrawn)
    }
  }

  // MARK: Bytes

  func write(to form: inout BinaryWriter) {
    form.count(secrets.count)
    for (secret, state) in secrets.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      form.fixed(secret)
      form.signed(state.time.milliseconds)
      form.byte(state.isWithdrawn ? 1 : 0)
    }
  }

  init() {}

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    for _ in 0..<(try form.count()) {
      let secret = try form.fixed(ShareLink.secretByteCount)
      secrets[secret] = Secret(
        time: Timestamp(milliseconds: try form.signed()), isWithdrawn: try form.byte() != 0)
    }
  }
}
