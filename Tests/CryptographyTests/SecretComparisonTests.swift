import Cryptography
import Testing

@Suite struct SecretComparisonTests {
  @Test func `Bytes are equal if their counts and all bytes are`() {
    #expect(ConstantTime.areEqual([1, 2, 3], [1, 2, 3]))
    #expect(ConstantTime.areEqual([], []))
    #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2, 4]))
    #expect(!ConstantTime.areEqual([0, 2, 3], [1, 2, 3]))
    #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2]))
    #expect(!ConstantTime.areEqual([], [0]))
  }

  @Test func `Random bytes have the requested count and differ each time`() {
    let all = (0..<200).map { _ in SecureRandom.bytes(32) }
    #expect(all.allSatisfy { $0.count == 32 })
    #expect(Set(all).count == 200)
    #expect(SecureRandom.bytes(0).isEmpty)
    // All 256 values occur among 51,200 bytes, except in one of some 10^84 runs.
    #expect(Set((0..<200).flatMap { _ in SecureRandom.bytes(256) }).count == 256)
  }
}
