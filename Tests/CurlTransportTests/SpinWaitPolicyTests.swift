import CurlTransport
import Testing

@Suite("Spinning before a wait")
struct SpinWaitPolicyTests {
  @Test func `Callers spin as long as responses arrive in time`() {
    var patience = SpinWaitPolicy()
    for _ in 0..<5 {
      #expect(patience.next() > .zero)
      patience.waited(hasAnswer: true)
    }
  }

  @Test func `The back-off doubles after each failure`() {
    var patience = SpinWaitPolicy()
    var pauses: [Int] = []
    for _ in 0..<12 {
      #expect(patience.next() > .zero)
      patience.waited(hasAnswer: false)
      pauses.append(Self.pause(&patience))
    }
    #expect(pauses == [1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 1023, 1023])
  }

  @Test func `A response in time ends the back-off`() {
    var patience = SpinWaitPolicy()
    for hasAnswer in [false, false, true] {
      _ = Self.pause(&patience)
      patience.waited(hasAnswer: hasAnswer)
    }
    #expect(patience.next() > .zero)
  }

  /// The number of callers that skip the spin before the next one that spins.
  private static func pause(_ patience: inout SpinWaitPolicy) -> Int {
    var count = 0
    var ahead = patience
    while ahead.next() == .zero {
      patience = ahead
      count += 1
    }
    return count
  }
}
