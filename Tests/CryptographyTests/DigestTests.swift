import Cryptography
import Foundation
import TestSupport
import Testing

/// The vectors are those of RFC 1321 and of FIPS 180-4's examples.
@Suite struct DigestTests {
  struct Vector: Sendable {
    let algorithm: DigestAlgorithm
    let input: String
    let hexadecimal: String
  }

  static let vectors = [
    Vector(algorithm: .md5, input: "", hexadecimal: "d41d8cd98f00b204e9800998ecf8427e"),
    Vector(
      algorithm: .md5, input: "message digest", hexadecimal: "f96b697d7cb7938d525a2f31aaf161d0"),
    Vector(
      algorithm: .sha256, input: "",
      hexadecimal: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    Vector(
      algorithm: .sha256, input: "abc",
      hexadecimal: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    Vector(
      algorithm: .sha256, input: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      hexadecimal: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    Vector(
      algorithm: .sha512, input: "abc",
      hexadecimal:
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    Vector(
      algorithm: .sha512, input: "",
      hexadecimal:
        "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
    ),
  ]

  @Test(arguments: vectors)
  func `Published test vectors match in one call`(vector: Vector) {
    #expect(hexadecimal(vector.algorithm.hash(Array(vector.input.utf8))) == vector.hexadecimal)
    #expect(hexadecimal(vector.algorithm.hash(Data(vector.input.utf8))) == vector.hexadecimal)
  }

  @Test(arguments: vectors)
  func `Published test vectors match piece by piece`(vector: Vector) {
    var digest = Digest(vector.algorithm)
    for character in vector.input { digest.update(String(character)) }
    #expect(hexadecimal(digest.finish()) == vector.hexadecimal)
  }

  @Test(arguments: DigestAlgorithm.allCases)
  func `The hash does not depend on how the bytes are divided`(algorithm: DigestAlgorithm) {
    var generator = SeededGenerator.forTest()
    for _ in 0..<50 {
      let bytes = (0..<Int.random(in: 0...3000, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      var digest = Digest(algorithm)
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...700, using: &generator))
        rest = rest.dropFirst(piece.count)
        if Bool.random(using: &generator) {
          digest.update(Array(piece))
        } else {
          digest.update(Data(piece))
        }
      }
      #expect(digest.finish() == algorithm.hash(bytes), "\(generator)")
    }
  }

  @Test(arguments: DigestAlgorithm.allCases)
  func `A digest has the length of its algorithm`(algorithm: DigestAlgorithm) {
    #expect(Digest(algorithm).finish().count == algorithm.byteCount)
  }
}
