import CloudRecords
import CloudWire
import JSONCoding
import Testing

/// Our client reads everything that our server writes.
@Suite struct `Responses that were encoded and decoded` {
  @Test func `Records survive`() throws {
    try expectToComeBack { samples in
      RecordsModifyResponse(
        records: samples.list { $0.recordResult() }, syncToken: samples.maybe { $0.text() })
    }
    try expectToComeBack { samples in
      RecordsLookupResponse(
        records: samples.list { $0.recordResult() }, syncToken: samples.maybe { $0.text() })
    }
    try expectToComeBack { samples in
      RecordsQueryResponse(
        records: samples.list { $0.recordResult() },
        continuationMarker: samples.maybe { $0.text() },
        syncToken: samples.maybe { $0.text() })
    }
  }

  @Test func `Database changes survive`() throws {
    try expectToComeBack { samples in
      ChangesDatabaseResponse(
        zones: samples.list { samples in
          switch samples.one(of: [0, 1, 2]) {
          case 0: .changed(samples.zone())
          case 1: .deleted(samples.zone())
          default: .failed(samples.zone(), samples.error())
          }
        }, syncToken: samples.text(), moreComing: samples.chance())
    }
  }

  @Test func `Zone changes survive`() throws {
    try expectToComeBack { samples in
      ChangesZoneResponse(
        zones: samples.list { samples in
          samples.chance(80)
            ? .page(samples.zone(), samples.page()) : .failed(samples.zone(), samples.error())
        })
    }
    try expectToComeBack { samples in RecordsChangesResponse(page: samples.page()) }
  }

  @Test func `Zones survive`() throws {
    try expectToComeBack { samples in
      ZonesResponse(
        zones: samples.list { samples in
          switch samples.one(of: [0, 1, 2]) {
          case 0:
            .zone(samples.zone(), syncToken: samples.text(), shareName: samples.maybe { $0.text() })
          case 1: .deleted(samples.zone())
          default: .failed(samples.zone(), samples.error())
          }
        })
    }
  }

  @Test func `Shares survive`() throws {
    try expectToComeBack { samples in
      SharesResponse(
        results: samples.list {
          $0.chance(70) ? .share($0.metadata()) : .failed(shortIdentifier: $0.text(), $0.error())
        })
    }
  }

  @Test func `Subscriptions survive`() throws {
    try expectToComeBack { samples in
      SubscriptionsResponse(
        subscriptions: samples.list { samples in
          switch samples.one(of: [0, 1, 2, 3]) {
          case 0: .deleted(samples.text())
          case 1: .failed(samples.text(), samples.error())
          default: .subscription(samples.subscription())
          }
        })
    }
  }

  @Test func `Users survive`() throws {
    try expectToComeBack { samples in UsersResponse(users: samples.list { $0.identity() }) }
  }

  @Test func `Assets survive`() throws {
    try expectToComeBack { samples in
      AssetsUploadResponse(
        tokens: samples.list {
          .init(recordName: $0.text(), fieldName: $0.text(), url: "https://a/" + $0.text())
        })
    }
    try expectToComeBack { samples in
      AssetsRereferenceResponse(
        assets: samples.list {
          $0.chance(70) ? .asset($0.asset()) : .failed(recordName: $0.name(), $0.error())
        })
    }
    try expectToComeBack { samples in AssetReceiptResponse(asset: samples.asset()) }
    try expectToComeBack { samples in
      UploadProgressResponse(received: 5, asset: samples.chance(50) ? samples.asset() : nil)
    }
  }

  @Test func `Key bags survive`() throws {
    try expectToComeBack { samples in
      KeyBagsResponse(
        items: samples.list { .init($0.bagPlace(), $0.bagResult()) }, caller: samples.name())
    } expected: { sent in
      KeyBagsResponse(
        items: sent.items.map { .init($0.place.owned(by: sent.caller), $0.result) }, caller: "")
    }
  }

  @Test func `Device tokens survive`() throws {
    try expectToComeBack { samples in
      PushTokenResponse(
        environment: samples.text(), token: samples.text(), webcourierURL: samples.text(),
        streamURL: samples.text())
    }
    try expectToComeBack { _ in EmptyResponse() }
  }

  @Test func `Notifications survive`() throws {
    try expectToComeBack { samples in
      samples.notification()
    } expected: { sent in
      var expected = sent
      // A notification omits these parts of a subscription.
      expected.info?.additionalFields = []
      expected.info?.collapseField = nil
      for text in NotificationInfo.texts where expected.info?[keyPath: text].isSilent == true {
        expected.info?[keyPath: text].arguments = []
      }
      if expected.info?.isSilent == true {
        expected.info?.alertActionLocalizationKey = nil
        expected.info?.alertLaunchImage = nil
      }
      var silent = NotificationInfo()
      silent.shouldSendContentAvailable = true
      if expected.info == silent || expected.info == NotificationInfo() { expected.info = nil }
      return expected
    }
  }

  @Test func `Errors survive`() throws {
    try expectToComeBack { samples in
      ErrorResponse(error: samples.error(), requestIdentifier: samples.text())
    }
  }
}

extension KeyBagPlace {
  /// The place as a response names it.
  fileprivate func owned(by caller: String) -> KeyBagPlace {
    func owned(_ zone: ZoneReference) -> ZoneReference {
      ZoneReference(zoneName: zone.zoneName, ownerName: zone.ownerName ?? caller)
    }
    return switch self {
    case .zone(let zone): .zone(owned(zone))
    case .share(let zone, let name): .share(owned(zone), name: name)
    case .publicUser(let name): .publicUser(name ?? caller)
    case .privateUser: .privateUser
    }
  }
}

extension Samples {
  fileprivate mutating func metadata() -> ShareMetadata {
    let zone = zone()
    var share = record(in: zone)
    share.record.recordType = ShareDetails.recordType
    share.record.share = ShareDetails(
      publicPermission: .readOnly, participants: [participant(.owner)])
    return ShareMetadata(
      shortIdentifier: text(),
      container: ContainerAddress(
        container: name(), environment: one(of: [.development, .production])),
      scope: one(of: [.private, .shared]), zone: zone, share: share,
      rootName: maybe { "root" + $0.name() },
      root: maybe { $0.record(in: zone) }, owner: identity(),
      role: one(of: ShareParticipant.Role.allCases),
      acceptance: maybe { $0.one(of: ShareParticipant.Acceptance.allCases) },
      permission: one(of: ShareParticipant.Permission.allCases), webpageURL: maybe { $0.text() })
  }

  fileprivate mutating func subscription() -> Subscription {
    let info = maybe { $0.notificationInfo() }
    switch one(of: [0, 1, 2]) {
    case 0: return Subscription(identifier: text(), kind: .database, notification: info)
    case 1: return Subscription(identifier: text(), kind: .zone(zone()), notification: info)
    default:
      var query = self.query()
      if query.filters.isEmpty { query.sorts = [] }
      var writer = JSONWriter()
      query.write(to: &writer)
      return Subscription(
        identifier: text(),
        kind: .query(
          SubscriptionQuery(
            recordType: query.recordType, filters: query.filters.isEmpty ? nil : writer.array()),
          zone: maybe { $0.zone() }),
        firesOn: Set(list { $0.one(of: Subscription.Event.allCases) }),
        firesOnce: chance(), notification: info)
    }
  }

  fileprivate mutating func bagResult() -> KeyBagResult {
    switch one(of: [0, 1, 2, 3]) {
    case 0: .reset
    case 1: .failed(error())
    case 2: .saved(generation: integer(), modified: timestamp())
    default:
      .bag(
        generation: integer(), modified: timestamp(), data: bytes(),
        now: chance() ? timestamp() : nil)
    }
  }

  fileprivate mutating func notification() -> PushNotification {
    var fields = RecordFields()
    // Only a value whose type is evident comes back.
    for name in list(4, { $0.name() }) {
      fields[name] = Field(value(of: one(of: [.string, .int64, .double, .reference, .location])))
    }
    let content: PushNotification.Content =
      switch one(of: [0, 1, 2, 3]) {
      case 0: .zone(zone())
      case 1: .database(maybe { $0.zone() })
      default:
        .query(
          RecordIdentifier(recordName: text(), zone: zone()),
          event: one(of: Subscription.Event.allCases),
          fields: fields)
      }
    let subscription = Subscription(
      identifier: text(), kind: .database, notification: maybe { $0.notificationInfo() })
    var notification = PushNotification(
      identifier: text(), container: text(), userRecordName: text(),
      scope: one(of: DatabaseScope.allCases),
      subscription: subscription, content: content)
    notification.collapse = maybe { $0.text() }
    notification.isPruned = chance()
    notification.isLast = chance()
    return notification
  }

  fileprivate mutating func page() -> ZoneFeedPage {
    ZoneFeedPage(records: list { $0.recordResult() }, syncToken: text(), moreComing: chance())
  }
}
