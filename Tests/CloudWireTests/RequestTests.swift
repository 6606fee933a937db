import CloudRecords
import CloudWire
import JSONCoding
import Testing

/// The server reads everything that a client writes.
@Suite struct `Requests that were encoded and decoded` {
  @Test func `Record modifications survive`() throws {
    try expectToArrive { samples in
      var request = RecordsModifyRequest()
      request.operations = samples.list(3) { samples in
        var operation = RecordOperation(
          samples.one(of: RecordOperation.Kind.allCases), samples.recordInput())
        operation.desiredKeys = samples.maybe { $0.list { $0.name() } }
        operation.numbersAsStrings = samples.maybe { $0.chance() }
        return operation
      }
      request.zone = samples.maybe { $0.zoneReference() }
      request.atomic = samples.maybe { $0.chance() }
      request.desiredKeys = samples.maybe { $0.list { $0.name() } }
      request.numbersAsStrings = samples.chance()
      request.syncToken = samples.maybe { $0.text() }
      return request
    }
  }

  @Test func `Record look-ups survive`() throws {
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

  @Test func `Queries survive`() throws {
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

  @Test func `Requests for database changes survive`() throws {
    try expectToArrive { samples in
      ChangesDatabaseRequest(
        syncToken: samples.maybe { $0.text() },
        resultsLimit: samples.maybe { Int.random(in: 0...500, using: &$0.random) })
    }
  }

  @Test func `Requests for zone changes survive`() throws {
    try expectToArrive { samples in ChangesZoneRequest(zones: samples.list { $0.feed() }) }
    try expectToArrive { samples in RecordsChangesRequest(feed: samples.feed()) }
  }

  @Test func `Share requests survive`() throws {
    try expectToArrive { samples in SharesResolveRequest(shares: samples.list { $0.lookup() }) }
    try expectToArrive { samples in SharesAcceptRequest(shares: samples.list { $0.lookup() }) }
    try expectToArrive { samples in SharesRequestAccessRequest(shares: samples.list { $0.lookup() })
    }
  }

  @Test func `Subscription requests survive`() throws {
    try expectToArrive { _ in SubscriptionsListRequest() }
    try expectToArrive { samples in
      SubscriptionsLookupRequest(identifiers: samples.list { $0.text() })
    }
    try expectToArrive { samples in
      SubscriptionsModifyRequest(
        operations: samples.list {
          .init($0.one(of: [.create, .update, .delete]), $0.subscriptionInput())
        })
    } expected: { sent in
      // The server also keeps the query's original text.
      var expected = sent
      for index in expected.operations.indices {
        expected.operations[index].subscription.queryText = sent.operations[index].subscription
          .query.map { query in
            var writer = JSONWriter()
            query.write(to: &writer)
            return writer.array()
          }
      }
      return expected
    }
  }

  @Test func `User requests survive`() throws {
    try expectToArrive { _ in UsersCallerRequest() }
    try expectToArrive { _ in UsersDiscoverAllRequest() }
    try expectToArrive { samples in UsersDiscoverRequest(wanted: samples.list { $0.lookupInfo() }) }
  }

  @Test func `Asset requests survive`() throws {
    try expectToArrive { samples in
      AssetsUploadRequest(
        zone: samples.maybe { $0.zoneReference() }, fields: samples.list { $0.assetField() })
    }
    try expectToArrive { samples in
      AssetsRereferenceRequest(
        zone: samples.maybe { $0.zoneReference() }, fields: samples.list { $0.assetField() })
    }
  }

  @Test func `Key bag requests survive`() throws {
    try expectToArrive { samples in KeyBagsLookupRequest(places: samples.list { $0.bagPlace() }) }
    try expectToArrive { samples in
      KeyBagsModifyRequest(
        operations: samples.list {
          .init(
            $0.one(of: [.save, .reset]), $0.bagPlace(), generation: $0.integer(), data: $0.bytes())
        })
    }
  }

  @Test func `Device token requests survive`() throws {
    try expectToArrive { samples in
      TokensCreateRequest(
        environment: samples.one(of: [nil, "development", "production"]),
        clientIdentifier: samples.maybe { $0.text() })
    }
    try expectToArrive { samples in
      TokensRegisterRequest(
        environment: samples.one(of: [nil, "development", "production"]),
        token: samples.maybe { $0.text() },
        clientIdentifier: samples.maybe { $0.text() })
    }
  }

  @Test func `Zone requests survive`() throws {
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
          comparator: samples.one(of: FilterComparator.allCases).rawValue,
          name: samples.fieldName(),
          value: samples.fieldInput(), distance: samples.maybe { $0.double() })
      },
      sorts: list { samples in
        .init(
          name: samples.fieldName(), ascending: samples.chance(),
          relativeLocation: samples.maybe { $0.location() })
      })
  }

  private mutating func fieldName() -> QueryInput.FieldName {
    chance() ? .field(name()) : .system(one(of: SystemField.allCases).apiName)
  }

  fileprivate mutating func lookup() -> ShareLookup {
    var lookup = ShareLookup(shortIdentifier: text())
    lookup.wantsRoot = chance()
    lookup.desiredKeys = maybe { $0.list { $0.name() } }
    return lookup
  }

  fileprivate mutating func subscriptionInput() -> SubscriptionInput {
    var input = SubscriptionInput()
    input.identifier = maybe { $0.text() }
    input.type = maybe { $0.one(of: ["query", "zone", "database"]) }
    input.query = maybe { $0.query() }
    input.zone = maybe { $0.zoneReference() }
    input.zoneWide = maybe { $0.chance() }
    input.firesOn = maybe { $0.list { $0.one(of: Subscription.Event.allCases) } }
    input.firesOnce = chance()
    input.notification = maybe { $0.notificationInfo() }
    return input
  }

  fileprivate mutating func assetField() -> AssetField {
    AssetField(recordName: maybe { $0.text() }, recordType: maybe { $0.text() }, fieldName: text())
  }

  mutating func bagPlace() -> KeyBagPlace {
    switch one(of: KeyBagPlace.Kind.allCases) {
    case .zone: .zone(zoneReference())
    case .share: .share(zoneReference(), name: text())
    case .publicUser: .publicUser(maybe { $0.name() })
    case .privateUser: .privateUser
    }
  }

  fileprivate mutating func feed() -> ZoneFeedInput {
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
