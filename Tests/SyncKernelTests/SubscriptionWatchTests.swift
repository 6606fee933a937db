import Foundation
import SyncKernel
import Testing

@Suite struct `An engine checks its subscription` {
  private let start = Date(timeIntervalSince1970: 1_700_000_000)

  @Test func `The check runs once in each launch, and after an hour`() {
    var watch = SubscriptionWatch()
    #expect(watch.isDue(at: start))
    watch.looked(at: start, asOf: watch)
    #expect(!watch.isDue(at: start) && !watch.isDue(at: start + 3_600))
    #expect(watch.isDue(at: start + 3_601))
  }

  @Test func `The check runs when the device listens again, but not every time`() {
    var watch = SubscriptionWatch()
    watch.looked(at: start, asOf: watch)
    watch.listens()
    #expect(!watch.isDue(at: start + 60))
    #expect(watch.isDue(at: start + 61))
    watch.looked(at: start + 61, asOf: watch)
    #expect(!watch.isDue(at: start + 1_000))
  }

  @Test func `The check runs when the server reports that a subscription ended`() {
    var watch = SubscriptionWatch()
    watch.looked(at: start, asOf: watch)
    watch.isInDoubt()
    #expect(watch.isDue(at: start + 1))
    watch.looked(at: start + 1, asOf: watch)
    #expect(!watch.isDue(at: start + 2))
  }

  @Test func `A report during a check makes another one due`() {
    var watch = SubscriptionWatch()
    watch.isInDoubt()
    let before = watch
    watch.isInDoubt()
    watch.looked(at: start, asOf: before)
    #expect(watch.isDue(at: start))
    watch.looked(at: start, asOf: watch)
    #expect(!watch.isDue(at: start))
  }

  @Test func `A reconnect during a check makes another one due soon`() {
    var watch = SubscriptionWatch()
    let before = watch
    watch.listens()
    watch.looked(at: start, asOf: before)
    #expect(!watch.isDue(at: start + 60))
    #expect(watch.isDue(at: start + 61))
    watch.looked(at: start + 61, asOf: watch)
    #expect(!watch.isDue(at: start + 1_000))
  }

  @Test func `The check runs when the clock was set back`() {
    var watch = SubscriptionWatch()
    watch.looked(at: start, asOf: watch)
    #expect(watch.isDue(at: start - 1))
  }
}
