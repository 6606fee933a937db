import CloudRecords
import CloudWire
import Testing

/// What our server writes is what our client reads.
@Suite struct `Answers come back as they were meant` {
  @Test func `with records`() throws {
    try expectToComeBack { samples in
      RecordsModifyResponse(records: samples.list { $0.recordResult() }, syncToken: samples.maybe { $0.text() })
    }
    try expectToComeBack { samples in
      RecordsLookupResponse(records: samples.list { $0.recordResult() }, syncToken: samples.maybe { $0.text() })
    }
    try expectToComeBack { samples in
      RecordsQueryResponse(
        records: samples.list { $0.recordResult() }, continuationMarker: samples.maybe { $0.text() },
        syncToken: samples.maybe { $0.text() })
    }
  }

  @Test func `with the changes of a database`() throws {
    try expectToComeBack { samples in
      ChangesDatabaseResponse(
        zones: samples.list { samples in
          switch samples.one(of: [0, 1, 2]) {
          case 0: .moved(samples.zone())
          case 1: .deleted(samples.zone())
          default: .failed(samples.zone(), samples.error())
          }
        }, syncToken: samples.text(), moreComing: samples.chance())
    }
  }

  @Test func `with the changes of zones`() throws {
    try expectToComeBack { samples in
      ChangesZoneResponse(
        zones: samples.list { samples in
          samples.chance(80) ? .page(samples.zone(), samples.page()) : .failed(samples.zone(), samples.error())
        })
    }
    try expectToComeBack { samples in RecordsChangesResponse(page: samples.page()) }
  }

  @Test func `with zones`() throws {
    try expectToComeBack { samples in
      ZonesResponse(
        zones: samples.list { samples in
          switch samples.one(of: [0, 1, 2]) {
          case 0: .zone(samples.zone(), syncToken: samples.text())
          case 1: .deleted(samples.zone())
          default: .failed(samples.zone(), samples.error())
          }
        })
    }
  }

  @Test func `that are errors`() throws {
    try expectToComeBack { samples in ErrorResponse(error: samples.error(), requestIdentifier: samples.text()) }
  }
}

extension Samples {
  fileprivate mutating func page() -> ZoneFeedPage {
    ZoneFeedPage(records: list { $0.recordResult() }, syncToken: text(), moreComing: chance())
  }
}
