import BinaryCoding
package import Cryptography

/// A user's signature of a value that the user wrote.
///
/// It covers the value with its place, its key and its stamps, and other values that the user wrote
/// at the same time. So a person with the keys cannot write in another person's name.
package struct WriteSignature: Hashable, Sendable {
  /// The first bytes of the writer's signing key.
  ///
  /// They only find the key in the ring, and other keys may begin with the same bytes.
  package let signer: UInt64
  /// The signature in eight words, each with the lowest byte first.
  fileprivate let words: SIMD8<UInt64>
  let path: SignaturePath

  /// Signs values together, up to ``Limits/signedValues`` with one signature.
  ///
  /// - Returns: A signature for each leaf.
  package static func sign(
    _ leaves: [ShortDigest], by writer: UserKeys, _ hasher: inout ShortHasher
  ) -> [WriteSignature] {
    let (signer, name) = (
      writer.identity.signingKey.beginning, writer.identity.userRecordName
    )
    var signatures: [WriteSignature] = []
    signatures.reserveCapacity(leaves.count)
    for start in stride(from: 0, to: leaves.count, by: Limits.signedValues) {
      let part = leaves[start...].prefix(Limits.signedValues)
      let tree = SignatureTree(part, &hasher)
      let words = Self.words(
        of: writer.sign(message(tree.root, of: part.count, name), purpose: .values))
      for leaf in part.indices {
        signatures.append(
          WriteSignature(signer: signer, words: words, path: tree.path(of: leaf - start)))
      }
    }
    return signatures
  }

  fileprivate func verifies(_ root: ShortDigest, by writer: PublicIdentity) -> Bool {
    var form = BinaryWriter(capacity: EdwardsPublicKey.signatureByteCount)
    form.words(words)
    return SignaturePurpose.values.verifies(
      form.bytes, of: Self.message(root, of: path.leafCount, writer.userRecordName),
      by: writer.signingKey)
  }

  private static func message(_ root: ShortDigest, of count: Int, _ user: String) -> [UInt8] {
    var form = BinaryWriter()
    form.text(user)
    form.count(count)
    form.digest(root)
    return form.bytes
  }

  // MARK: Bytes

  private static func words(of signature: [UInt8]) -> SIMD8<UInt64> {
    var form = BinaryReader(signature)
    guard let words = try? form.eightWords() else {
      preconditionFailure("A signature of Ed25519 has 64 bytes.")
    }
    return words
  }

  func write(to form: inout BinaryWriter) {
    form.word(signer)
    form.words(words)
    path.write(to: &form)
  }

  /// - Parameter bytes: The bytes that the reader reads.
  init(from form: inout BinaryReader, of bytes: [UInt8]) throws(BinaryCodingError) {
    signer = try form.word()
    words = try form.eightWords()
    path = try SignaturePath(from: &form, of: bytes)
  }

  private init(signer: UInt64, words: SIMD8<UInt64>, path: SignaturePath) {
    (self.signer, self.words, self.path) = (signer, words, path)
  }
}

extension BinaryWriter {
  fileprivate mutating func words(_ words: SIMD8<UInt64>) {
    for index in words.indices { word(words[index]) }
  }
}

/// The signatures that a process has verified, and the hashes that they cover.
package struct VerifiedSignatures: ~Copyable, Sendable {
  /// The trees that were used since this dictionary was last full.
  private var present: [Name: VerifiedTree] = [:]
  /// The trees of the previous ``present``, which are dropped when it is full again.
  private var former: [Name: VerifiedTree] = [:]
  /// The number of nodes of the trees in ``present``.
  private var nodeCount = 0
  var hasher = ShortHasher()

  private struct Name: Hashable {
    let words: SIMD8<UInt64>
    let writer: EdwardsPublicKey

    func hash(into hasher: inout Hasher) { hasher.combine(words[0]) }
  }

  package init() {}

  /// Whether a user has signed a value.
  package mutating func verify(
    _ signature: WriteSignature, of leaf: ShortDigest, by writer: PublicIdentity
  ) -> Bool {
    let name = Name(words: signature.words, writer: writer.signingKey)
    if let index = present.index(forKey: name) {
      return present.values[index].add(leaf, signature.path, &hasher)
    }
    if var tree = former.removeValue(forKey: name) {
      let isOfTree = tree.add(leaf, signature.path, &hasher)
      insert(tree, name)
      return isOfTree
    }
    var tree = VerifiedTree(ofLeaves: signature.path.leafCount)
    guard tree.add(leaf, signature.path, &hasher), let root = tree.root,
      signature.verifies(root, by: writer)
    else { return false }
    insert(tree, name)
    return true
  }

  private mutating func insert(_ tree: VerifiedTree, _ name: Name) {
    if nodeCount >= Limits.verifiedHashes { (former, present, nodeCount) = (present, [:], 0) }
    present[name] = tree
    nodeCount += tree.nodeCount
  }
}
