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
    let cursor = PollingCursor()
    #expect(cursor.until == nil && cursor.late == nil)
    #expect(cursor.news.formatText.hasPrefix("modificationDate > "))
  }

  @Test func `Records move the cursor to the latest of them, and never back`() {
    var cursor = PollingCursor()
    cursor.move(past: [Self.server(5), Self.server(9), Self.server(7)], at: Self.device(0))
    #expect(cursor == PollingCursor(until: Self.server(9), noted: Self.device(0)))
    cursor.move(past: [Self.server(8), Self.server(9)], at: Self.device(50))
    cursor.move(past: [], at: Self.device(60))
    #expect(cursor == PollingCursor(until: Self.server(9), noted: Self.device(0)))
  }

  @Test func `Late records are searched until none can arrive`() {
    var cursor = PollingCursor()
    cursor.move(past: [Self.server(0)], at: Self.device(0))
    cursor.finishLateSearch(at: Self.device(119))
    #expect(cursor.late != nil)
    cursor.finishLateSearch(at: Self.device(120))
    #expect(cursor.late == nil)
    cursor.finishLateSearch(at: Self.device(121))
    #expect(cursor == PollingCursor(until: Self.server(0)))
    cursor.move(past: [Self.server(1)], at: Self.device(200))
    #expect(cursor.late != nil)
  }

  @Test func `A clock that is set back restarts the window`() {
    var cursor = PollingCursor(until: Self.server(0), noted: Self.device(1_000))
    cursor.finishLateSearch(at: Self.device(10))
    #expect(cursor.noted == Self.device(10))
    cursor.finishLateSearch(at: Self.device(130))
    #expect(cursor.late == nil)
  }
}
