import SyncKernel
import Testing

@Suite struct `A fetch looks at the zones that changed` {
  @Test func `Named zones are fetched without the database's feed`() {
    var zones = ChangedZones<String>()
    for zone in ["Notes", "Lists", "Notes"] { zones.note(zone) }
    #expect(zones.take() == ["Notes", "Lists"])
  }

  @Test(arguments: [[nil, "Notes"], ["Notes", nil], []] as [[String?]])
  func `Without a reason, or with one that names no zone, the database's feed is needed`(
    reasons: [String?]
  ) {
    var zones = ChangedZones<String>()
    for zone in reasons { zones.note(zone) }
    #expect(zones.take() == nil)
  }

  @Test func `Zones are taken once`() {
    var zones = ChangedZones<String>()
    zones.note("Notes")
    _ = zones.take()
    #expect(zones.take() == nil)
    zones.note("Lists")
    #expect(zones.take() == ["Lists"])
  }
}
