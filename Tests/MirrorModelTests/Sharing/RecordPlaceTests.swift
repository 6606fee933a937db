import CloudRecords
import MirrorModel
import Testing

/// Decisions about records that move between zones.
@Suite struct RecordPlaceTests {
  private static let home = RecordZoneIdentifier(zoneName: "home", ownerName: "_")
  private static let first = RecordZoneIdentifier(zoneName: "share.1", ownerName: "_")
  private static let second = RecordZoneIdentifier(zoneName: "share.2", ownerName: "_")

  private func decide(
    _ zone: RecordZoneIdentifier, _ moves: Int64, over present: RecordZoneIdentifier,
    _ presentMoves: Int64, isSaved: Bool = true, isSent: Bool = true, isFormer: Bool = false
  ) -> MoveDecision {
    RecordPlace(zone: zone, moves: moves).decision(
      over: RecordPlace(zone: present, moves: presentMoves), isPresentSaved: isSaved,
      isPresentSent: isSent, isFormer: isFormer, home: Self.home)
  }

  @Test func `The record that moved more often is the object's, in any zone`() {
    #expect(
      decide(Self.home, 2, over: Self.first, 1) == .takesPlace(leavesPresent: false))
    #expect(decide(Self.first, 1, over: Self.home, 2) == .isStray(isLeftToMover: true))
    #expect(
      decide(Self.first, 1, over: Self.home, 2, isFormer: true) == .isStray(isLeftToMover: false))
  }

  @Test func `After two concurrent moves, exactly one of two records is the object's`() {
    for (loser, winner) in [
      (Self.home, Self.first), (Self.home, Self.second), (Self.second, Self.first),
    ] {
      #expect(decide(loser, 1, over: winner, 1) == .isStray(isLeftToMover: false))
      #expect(decide(winner, 1, over: loser, 1) == .takesPlace(leavesPresent: true))
    }
  }

  @Test func `A move that was not sent yields to one that was`() {
    for (zone, present) in [(Self.home, Self.first), (Self.second, Self.first)] {
      #expect(
        decide(zone, 1, over: present, 1, isSaved: false, isSent: false)
          == .takesPlace(leavesPresent: false))
      #expect(
        decide(zone, 1, over: present, 2, isSaved: false, isSent: false)
          == .isStray(isLeftToMover: true))
    }
  }

  @Test func `A device deletes the record of an object that others moved twice`() {
    #expect(decide(Self.first, 1, over: Self.home, 0) == .takesPlace(leavesPresent: false))
    #expect(decide(Self.first, 2, over: Self.home, 0) == .takesPlace(leavesPresent: true))
    #expect(
      decide(Self.first, 2, over: Self.home, 0, isSaved: false)
        == .takesPlace(leavesPresent: false))
  }

  @Test func `The maximum count of moves is compared like any other`() {
    #expect(decide(Self.first, .max, over: Self.home, .max) == .takesPlace(leavesPresent: true))
    #expect(decide(Self.home, .max, over: Self.first, .max) == .isStray(isLeftToMover: false))
    #expect(decide(Self.first, .max, over: Self.home, 0) == .takesPlace(leavesPresent: true))
  }

  @Test func `A former record is deleted only when the server has the new one, or none is there`() {
    #expect(FormerRecordDecision(here: .none, elsewhere: .saved) == .delete)
    #expect(FormerRecordDecision(here: .none, elsewhere: .none) == .delete)
    #expect(FormerRecordDecision(here: .none, elsewhere: .unsaved) == .wait)
    #expect(FormerRecordDecision(here: .unsaved, elsewhere: .none) == .wait)
    #expect(FormerRecordDecision(here: .saved, elsewhere: .none) == .stands)
  }

  @Test func `Edits of a former record are carried over unless they were changed here`() {
    let former: [String: UInt64] = ["title": 1, "body": 2, "count": 3]
    let present: [String: UInt64] = ["title": 9, "body": 9, "count": 3]
    let local: [String: UInt64] = ["title": 1, "body": 5, "count": 3]
    #expect(StrayEdits.properties(former: former, present: present, local: local) == ["title"])
    #expect(StrayEdits.properties(former: [:], present: present, local: local).isEmpty)
  }
}
