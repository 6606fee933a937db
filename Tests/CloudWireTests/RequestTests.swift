import CloudRecords
import CloudWire
import Testing

/// What a client writes is what the server reads.
@Suite struct `Requests arrive as they were meant` {
  @Test func `to modify records`() throws {
    try expectToArrive { samples in
      var request = RecordsModifyRequest()
      request.operations = samples.list(3) { samples in
        var operation = RecordOperation(samples.one(of: RecordOperation.Kind.allCases), samples.recordInput())
        operation.desiredKeys = samples.maybe { $0.list { $0.name() } }
        operation.numbersAsStrings = samples.maybe { $0.chance() }
        return operation
      }
      request.zone = samples.maybe { $0.zoneReference() }
      request.atomic = samples.maybe { $0.chance() }
      request.desiredKeys = samples.maybe { $0.list { $0.name() } }
      request.numbersAsStrings = samples.chance()
      return request
    }
  }

  @Test func `to look records up`() throws {
    try expectToArrive { samples in
      var request = RecordsLookupRequest()
      request.records = samples.list { samples in
        .init(
          recordName: samples.name(), zone: samples.maybe { $0.zoneReference() },
          desiredKeys: samples.maybe { $0.list { $0.name() } })
      }
      request.zone = samples.maybe { $0.zoneReference() }
      request.desiredKeys = samples.maybe { $0.list { $0.name() } }
      request.numbersAsStrings = samples.chance()
      return request
    }
  }

  @Test func `to query records`() throws {
    try expectToArrive { samples in
      var request = RecordsQueryRequest(query: samples.query())
      request.zone = samples.maybe { $0.zoneReference() }
      request.zoneWide = samples.chance()
      request.resultsLimit = samples.maybe { Int.random(in: 0...500, using: &$0.random) }
      request.continuationMarker = samples.maybe { $0.text() }
      request.desiredKeys = samples.maybe { $0.list { $0.name() } }
      request.numbersAsStrings = samples.chance()
      return request
    }
  }

  @Test func `for the changes of a database`() throws {
    try expectToArrive { samples in
      ChangesDatabaseRequest(
        syncToken: samples.maybe { $0.text() },
        resultsLimit: samples.maybe { Int.random(in: 0...500, using: &$0.random) })
    }
  }

  @Test func `for the changes of zones`() throws {
    try expectToArrive { samples in ChangesZoneRequest(zones: samples.list { $0.feed() }) }
    try expectToArrive { samples in RecordsChangesRequest(feed: samples.feed()) }
  }

  @Test func `for zones`() throws {
    try expectToArrive { _ in ZonesListRequest() }
    try expectToArrive { samples in ZonesLookupRequest(zones: samples.list { $0.zoneReference() }) }
    try expectToArrive { samples in
      ZonesModifyRequest(
        operations: samples.list { .init($0.one(of: [.create, .delete]), $0.zoneReference()) })
    }
  }
}

extension Samples {
  mutating func query() -> QueryInput {
    QueryInput(
      recordType: name(),
      filters: list { samples in
        .init(
          comparator: samples.one(of: FilterComparator.allCases).rawValue, name: samples.fieldName(),
          value: samples.fieldInput(), distance: samples.maybe { $0.double() })
      },
      sorts: list { samples in
        .init(
          name: samples.fieldName(), ascending: samples.chance(), relativeLocation: samples.maybe { $0.location() })
      })
  }

  private mutating func fieldName() -> QueryInput.FieldName {
    chance() ? .field(name()) : .system(one(of: SystemField.allCases).apiName)
  }

  mutating func feed() -> ZoneFeedInput {
    var feed = ZoneFeedInput(zone: zoneReference())
    feed.syncToken = maybe { $0.text() }
    feed.resultsLimit = maybe { Int.random(in: 0...500, using: &$0.random) }
    feed.desiredKeys = maybe { $0.list { $0.name() } }
    feed.desiredRecordTypes = maybe { $0.list { $0.name() } }
    feed.reverse = maybe { $0.chance() }
    feed.numbersAsStrings = maybe { $0.chance() }
    return feed
  }
}
