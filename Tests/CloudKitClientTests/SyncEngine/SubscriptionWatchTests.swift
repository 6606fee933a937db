import CloudKitClient
import Foundation
import Testing

@Suite struct `An engine looks at its subscription` {
  private let start = Date(timeIntervalSince1970: 1_700_000_000)

  @Test func `once in each launch, and after an hour`() {
    var watch = SubscriptionWatch()
    #expect(watch.isDue(at: start))
    watch.looked(at: start)
    #expect(!watch.isDue(at: start) && !watch.isDue(at: start + 3_600))
    #expect(watch.isDue(at: start + 3_601))
  }

  @Test func `when its device listens again, but not all the time`() {
    var watch = SubscriptionWatch()
    watch.looked(at: start)
    watch.listens()
    #expect(!watch.isDue(at: start + 60))
    #expect(watch.isDue(at: start + 61))
    watch.looked(at: start + 61)
    #expect(!watch.isDue(at: start + 1_000))
  }

  @Test func `when the server says that one has ended`() {
    var watch = SubscriptionWatch()
    watch.looked(at: start)
    watch.isInDoubt()
    #expect(watch.isDue(at: start + 1))
    watch.looked(at: start + 1)
    #expect(!watch.isDue(at: start + 2))
  }

  @Test func `when the clock was put back`() {
    var watch = SubscriptionWatch()
    watch.looked(at: start)
    #expect(watch.isDue(at: start - 1))
  }
}
