import CurlTransport
import Testing

@Suite("Spinning before a wait")
struct SpinWaitPolicyTests {
  @Test func `Callers spin as long as responses arrive in time`() {
    var policy = SpinWaitPolicy()
    for _ in 0..<5 {
      #expect(policy.next() > .zero)
      policy.waited(hasAnswer: true)
    }
  }

  @Test func `The back-off doubles after each failure`() {
    var policy = SpinWaitPolicy()
    var pauses: [Int] = []
    for _ in 0..<12 {
      #expect(policy.next() > .zero)
      policy.waited(hasAnswer: false)
      pauses.append(Self.pause(&policy))
    }
    #expect(pauses == [1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 1023, 1023])
  }

  @Test func `A response in time ends the back-off`() {
    var policy = SpinWaitPolicy()
    for hasAnswer in [false, false, true] {
      _ = Self.pause(&policy)
      policy.waited(hasAnswer: hasAnswer)
    }
    #expect(policy.next() > .zero)
  }

  /// The number of callers that skip the spin before the next one that spins.
  private static func pause(_ policy: inout SpinWaitPolicy) -> Int {
    var count = 0
    var ahead = policy
    while ahead.next() == .zero {
      policy = ahead
      count += 1
    }
    return count
  }
}
