import BinaryCoding
package import Cryptography

/// The signature with which a user wrote a value.
///
/// It covers the value with its place, its key and its stamps, and other values that the user wrote
/// at the same time. So a person with the keys cannot write in another one's name.
package struct WriteSignature: Hashable, Sendable {
  /// The first bytes of the writer's signing key.
  ///
  /// They only find the key among those of the ring, so others may have the same.
  package let signer: UInt64
  private let signature: [UInt8]
  private let path: SignaturePath

  private init(signer: UInt64, signature: [UInt8], path: SignaturePath) {
    (self.signer, self.signature, self.path) = (signer, signature, path)
  }

  /// Signs values together, as many with one signature as there may be.
  ///
  /// - Returns: A signature for each leaf.
  package static func sign(_ leaves: [ShortDigest], by writer: UserKeys) -> [WriteSignature] {
    let signer = writer.identity.signingKey.beginning
    return stride(from: 0, to: leaves.count, by: Limits.signedValues).flatMap { start in
      let tree = SignatureTree(Array(leaves[start...].prefix(Limits.signedValues)))
      let signature = writer.sign(
        message(tree.root, writer.identity.userRecordName), purpose: .values)
      return leaves[start...].prefix(Limits.signedValues).indices.map { index in
        WriteSignature(signer: signer, signature: signature, path: tree.path(of: index - start))
      }
    }
  }

  /// Whether a user has signed a value.
  ///
  /// All hashes beside a path to a signed root are signed, too. So most values of a batch need one
  /// hash or none.
  func isOf(_ leaf: ShortDigest, by writer: PublicIdentity, _ known: inout VerifiedHashes) -> Bool {
    let key = writer.signingKey
    if known.contains(leaf, of: key) { return true }
    var (node, passed) = (leaf, [leaf])
    for step in path.steps {
      node = step.joined(with: node)
      passed.append(step.other)
      if known.contains(node, of: key) {
        known.insert(passed, of: key)
        return true
      }
      passed.append(node)
    }
    guard
      SignaturePurpose.values.verifies(
        signature, of: Self.message(node, writer.userRecordName), by: key)
    else { return false }
    known.insert(passed, of: key)
    return true
  }

  private static func message(_ root: ShortDigest, _ user: String) -> [UInt8] {
    var form = BinaryWriter()
    form.text(user)
    form.digest(root)
    return form.bytes
  }

  // MARK: Bytes

  func write(to form: inout BinaryWriter) {
    form.word(signer)
    form.fixed(signature)
    path.write(to: &form)
  }

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    self.init(
      signer: try form.word(),
      signature: try form.fixed(EdwardsPublicKey.signatureByteCount),
      path: try SignaturePath(from: &form))
  }
}

/// The hashes that users have signed, as far as a process has verified it.
package struct VerifiedHashes: Sendable {
  private var present: [ShortDigest: EdwardsPublicKey] = [:]
  private var former: [ShortDigest: EdwardsPublicKey] = [:]

  package init() {}

  fileprivate func contains(_ hash: ShortDigest, of writer: EdwardsPublicKey) -> Bool {
    (present[hash] ?? former[hash]) == writer
  }

  fileprivate mutating func insert(_ hashes: [ShortDigest], of writer: EdwardsPublicKey) {
    if present.count >= Limits.verifiedHashes { (former, present) = (present, [:]) }
    for hash in hashes { present[hash] = writer }
  }
}
