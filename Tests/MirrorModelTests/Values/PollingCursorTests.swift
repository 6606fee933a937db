import Foundation
import MirrorModel
import PredicateLanguage
import Testing

/// The position up to which a public database is known, and the window after it in which records
/// may arrive late.
///
/// The position uses the server's clock, the window the device's.
@Suite("Polling cursors")
struct PollingCursorTests {
  /// A time of the server's clock, which differs a lot from the device's.
  private static func server(_ seconds: Double) -> Date {
    Date(timeIntervalSinceReferenceDate: 1_000_000 + seconds)
  }
  private static func device(_ seconds: Double) -> Date {
    Date(timeIntervalSinceReferenceDate: seconds)
  }

  @Test func `A new cursor treats every record as new and none as late`() {
    let place = PollingCursor()
    #expect(place.until == nil && place.late == nil)
    #expect(place.news.formatText.hasPrefix("modificationDate > "))
  }

  @Test func `Records move the cursor to the latest of them, and never back`() {
    var place = PollingCursor()
    place.move(past: [Self.server(5), Self.server(9), Self.server(7)], at: Self.device(0))
    #expect(place == PollingCursor(until: Self.server(9), noted: Self.device(0)))
    place.move(past: [Self.server(8), Self.server(9)], at: Self.device(50))
    place.move(past: [], at: Self.device(60))
    #expect(place == PollingCursor(until: Self.server(9), noted: Self.device(0)))
  }

  @Test func `Late records are searched until none can arrive`() {
    var place = PollingCursor()
    place.move(past: [Self.server(0)], at: Self.device(0))
    place.finishLateSearch(at: Self.device(119))
    #expect(place.late != nil)
    place.finishLateSearch(at: Self.device(120))
    #expect(place.late == nil)
    place.finishLateSearch(at: Self.device(121))
    #expect(place == PollingCursor(until: Self.server(0)))
    place.move(past: [Self.server(1)], at: Self.device(200))
    #expect(place.late != nil)
  }

  @Test func `A clock that is set back restarts the window`() {
    var place = PollingCursor(until: Self.server(0), noted: Self.device(1_000))
    place.finishLateSearch(at: Self.device(10))
    #expect(place.noted == Self.device(10))
    place.finishLateSearch(at: Self.device(130))
    #expect(place.late == nil)
  }
}
