import Cryptography
import Testing

@Suite struct ShortDigestTests {
  private static let purpose = "parhelion.tests."

  private func expected(_ bytes: [UInt8]) -> ShortDigest {
    ShortDigest(DigestAlgorithm.sha256.hash(Array(Self.purpose.utf8) + bytes)[...])
  }

  @Test func `A short digest is the beginning of the SHA-256 of the purpose and the bytes`() {
    let purpose = ShortDigest.Purpose("parhelion.tests.")
    var hasher = ShortHasher()
    for length in [0, 1, 55, 56, 64, 300] {
      let bytes = SecureRandom.bytes(length)
      for cut in [0, length / 2, length] {
        let digest = hasher.digest(of: Array(bytes[..<cut]), bytes[cut...], for: purpose)
        #expect(digest == expected(bytes), "\(length) \(cut)")
      }
    }
  }

  @Test func `Joining two digests gives the digest of their bytes`() {
    let (left, right) = (SecureRandom.bytes(16), SecureRandom.bytes(16))
    var hasher = ShortHasher()
    let joined = hasher.digest(
      joining: ShortDigest(left[...]), ShortDigest(right[...]),
      for: ShortDigest.Purpose("parhelion.tests."))
    #expect(joined == expected(left + right))
    #expect(joined != expected(right + left))
  }
}
