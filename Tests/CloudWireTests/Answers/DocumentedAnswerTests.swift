import CloudRecords
import CloudWire
import Testing

/// Responses as Apple's documentation and server write them.
@Suite struct `Apple's documented responses` {
  private func lookup(_ items: String) throws -> [RecordResult] {
    try RecordsLookupResponse(answer: Array(#"{"records":[\#(items)]}"#.utf8)).records
  }

  private func record(_ members: String) throws -> VisibleRecord {
    guard case .record(let shown)? = try lookup("{\(members)}").first else { throw NoRecord() }
    return shown
  }

  private struct NoRecord: Error {}

  @Test func `A record with every part is read`() throws {
    let shown = try record(
      #"""
      "recordName":"Mona","recordType":"Artwork","recordChangeTag":"1e",
      "fields":{"title":{"value":"Mona Lisa","type":"STRING"}},"pluginFields":{},
      "created":{"timestamp":1422312944104,"userRecordName":"_9a","deviceID":"iCloud"},
      "modified":{"timestamp":1422312944105,"userRecordName":"_9b","deviceID":"2"},"deleted":false,
      "zoneID":{"zoneName":"Art","ownerRecordName":"_9a","zoneType":"REGULAR_CUSTOM_ZONE"},
      "shortGUID":"0NEa3","share":{"recordName":"Share-1","zoneID":{"zoneName":"Art"}},"parent":{"recordName":"Louvre"},
      "stableUrl":{"routingKey":"x"},"chainParentKey":[1,{}],"expirationTime":null
      """#)
    let record = shown.record
    #expect(
      record.identifier
        == RecordIdentifier(
          recordName: "Mona", zone: RecordZoneIdentifier(zoneName: "Art", ownerName: "_9a")))
    #expect(record.recordType == "Artwork" && record.changeTag == "1e")
    #expect(record.fields == ["title": Field(.string("Mona Lisa"))])
    #expect(
      record.created
        == RecordStamp(
          time: Timestamp(milliseconds: 1_422_312_944_104), userRecordName: "_9a",
          deviceIdentifier: "iCloud"))
    #expect(record.modified.deviceIdentifier == "2")
    #expect(
      record.shortIdentifier == "0NEa3" && record.shareName == "Share-1"
        && record.parentName == "Louvre")
    #expect(record.share == nil)
  }

  @Test func `A minimal record is read`() throws {
    let record = try record(
      #""recordName":"a","recordType":"T","zoneID":null,"created":null,"fields":null"#
    ).record
    #expect(
      record.identifier.zone
        == RecordZoneIdentifier(
          zoneName: "_defaultZone", ownerName: RecordZoneIdentifier.currentOwnerName))
    #expect(
      record.fields.isEmpty && record.changeTag.isEmpty && record.created.userRecordName.isEmpty)
    let inZone = try self.record(#""recordName":"a","recordType":"T","zoneID":{"zoneName":"Z"}"#)
      .record.identifier.zone
    #expect(inZone == RecordZoneIdentifier(zoneName: "Z", ownerName: "__defaultOwner__"))
  }

  private static let fields: [(String, Field?)] = [
    (#"{"value":"a","type":"STRING"}"#, Field(.string("a"))),
    (#"{"type":"STRING","value":"a"}"#, Field(.string("a"))),
    (#"{"value":"a"}"#, Field(.string("a"))), (#""a""#, Field(.string("a"))),
    (#"{"value":3,"type":"INT64"}"#, Field(.int64(3))),
    (#"{"value":"3","type":"INT64"}"#, Field(.int64(3))),
    (#"{"value":3.0,"type":"INT64"}"#, Field(.int64(3))), (#"{"value":3}"#, Field(.int64(3))),
    (#"{"value":3,"type":"DOUBLE"}"#, Field(.double(3))), (#"{"value":3.5}"#, Field(.double(3.5))),
    (#"{"value":true,"type":"BOOLEAN"}"#, Field(.int64(1))),
    (#"{"value":7,"type":"NUMBER_INT64"}"#, Field(.int64(7))),
    (#"{"value":7,"type":"NUMBER"}"#, Field(.int64(7))),
    (
      #"{"value":1422312944104,"type":"TIMESTAMP"}"#,
      Field(.timestamp(Timestamp(milliseconds: 1_422_312_944_104)))
    ),
    (#"{"value":"aGk=","type":"BYTES"}"#, Field(.bytes([0x68, 0x69]))),
    (
      #"{"value":"aGk=","type":"ENCRYPTED_BYTES"}"#, Field(.bytes([0x68, 0x69]), isEncrypted: true)
    ),
    (#"{"value":"hi","type":"ENCRYPTED_STRING"}"#, Field(.string("hi"), isEncrypted: true)),
    (
      #"{"value":"hi","type":"STRING","isEncrypted":true}"#, Field(.string("hi"), isEncrypted: true)
    ),
    (
      #"{"value":{"recordName":"r","action":"DELETE_SELF","zoneID":{"zoneName":"Z"}},"type":"REFERENCE"}"#,
      Field(
        .reference(
          RecordReference(
            recordName: "r",
            zone: RecordZoneIdentifier(zoneName: "Z", ownerName: "__defaultOwner__"),
            action: .deleteSelf)))
    ),
    (
      #"{"value":{"fileChecksum":"AW","size":5,"downloadURL":"https://a/${f}?x=1","wrappingKey":"w","referenceChecksum":"r"},"type":"ASSETID"}"#,
      Field(
        .asset(
          AssetValue(
            fileChecksum: "AW", size: 5, referenceChecksum: "r", wrappingKey: "w",
            downloadURL: "https://a/${f}?x=1")))
    ),
    (
      #"{"value":{"fileChecksum":"AW","size":5,"downloadURL":"https://a"}}"#,
      Field(.asset(AssetValue(fileChecksum: "AW", size: 5, downloadURL: "https://a")))
    ),
    (
      #"{"value":{"latitude":52.5,"longitude":13,"horizontalAccuracy":null},"type":"LOCATION"}"#,
      Field(.location(LocationValue(latitude: 52.5, longitude: 13)))
    ),
    (#"{"value":[],"type":"STRING_LIST"}"#, Field(.list(of: .string, []))),
    (#"{"value":[],"type":"UNKNOWN_LIST"}"#, Field(.list(of: .string, []))),
    (
      #"{"value":[1,2],"type":"DOUBLE_LIST"}"#, Field(.list(of: .double, [.double(1), .double(2)]))
    ),
    (#"{"value":["a"],"type":"FANCY_LIST"}"#, Field(.list(of: .string, [.string("a")]))),
    (#"{"value":"a","type":"FANCY"}"#, Field(.string("a"))),
    (#"{"value":{"fancy":1},"type":"FANCY"}"#, nil), (#"{"value":null,"type":"STRING"}"#, nil),
    ("{}", nil),
    ("null", nil),
  ]

  @Test(arguments: fields)
  func `Fields of every type, and without one, are read`(json: String, field: Field?) throws {
    let fields = try record(#""recordName":"a","recordType":"T","fields":{"f":\#(json)}"#).record
      .fields
    #expect(fields["f"] == field)
  }

  @Test func `Fields are read in any order`() throws {
    let fields = try record(#""recordName":"a","recordType":"T","fields":{"b":1,"c":2,"a":3}"#)
      .record.fields
    #expect(fields == ["a": Field(.int64(3)), "b": Field(.int64(1)), "c": Field(.int64(2))])
  }

  @Test(arguments: [
    (#"{"recordName":"a","deleted":true}"#, DeletedRecord(recordName: "a")),
    (
      #"{"recordName":"a","deleted":true,"recordType":"T"}"#,
      DeletedRecord(recordName: "a", recordType: "T")
    ),
    (
      #"{"recordName":"a","recordType":"T","fields":{},"deleted":true,"zoneID":{"zoneName":"Z","ownerRecordName":"_o"}}"#,
      DeletedRecord(
        recordName: "a", zone: RecordZoneIdentifier(zoneName: "Z", ownerName: "_o"), recordType: "T"
      )
    ),
  ])
  func `Deleted records are read`(json: String, gone: DeletedRecord) throws {
    #expect(try lookup(json) == [.deleted(gone)])
  }

  @Test func `A share is read`() throws {
    let person =
      #"{"participantId":"p","userIdentity":{"userRecordName":"_o"},"type":"OWNER","permission":"READ_WRITE"}"#
    let shown = try record(
      #"""
      "recordName":"Share-1","recordType":"cloudkit.share","publicPermission":"READ_ONLY","shortGUID":"g",
      "participants":[{"userIdentity":{"userRecordName":"_b","nameComponents":{"givenName":"Bo"},"lookupInfo":{"emailAddress":"b@x"}},
        "type":"PRIVATE_USER","permission":"READ_WRITE","acceptanceStatus":"PENDING"},
        {"participantId":"new","userIdentity":{},"type":"ROBOT","permission":"SOME","acceptanceStatus":"LATER"}],
      "owner":\#(person),"currentUserParticipant":\#(person),"requesters":[],"blocked":[]
      """#)
    let share = try #require(shown.record.share)
    #expect(share.publicPermission == .readOnly)
    #expect(share.participants.map(\.role) == [.owner, .user, .user])
    #expect(share.participants.map(\.identifier) == ["p", "_b", "new"])
    #expect(
      share.participants[1].acceptance == .invited && share.participants[1].permission == .readWrite
    )
    #expect(share.participants[1].identity.lookupInfo == .emailAddress("b@x"))
    #expect(share.participants[2].permission == .none)
    #expect(shown.ownParticipant?.identifier == "p")
  }

  @Test func `Changed, deleted and failed zones are read`() throws {
    let own = { RecordZoneIdentifier(zoneName: $0, ownerName: "__defaultOwner__") }
    let answer = try ChangesDatabaseResponse(
      answer: Array(
        #"""
        {"zones":[{"zoneID":{"zoneName":"a"}},{"zoneID":{"zoneName":"b"},"deleted":true},
          {"zoneID":{"zoneName":"c"},"reason":"busy","serverErrorCode":"ZONE_BUSY","retryAfter":1.2},7],
         "metaSyncToken":"AQ==","moreComing":null}
        """#.utf8))
    #expect(answer.zones.prefix(2) == [.changed(own("a")), .deleted(own("b"))])
    guard case .failed(own("c"), let error) = answer.zones[2] else { throw NoRecord() }
    #expect(
      error.code == .internalError && error.unknownCode == "ZONE_BUSY" && error.reason == "busy")
    #expect(error.retryAfterSeconds == 2)
    #expect(answer.zones.count == 4 && answer.syncToken == "AQ==" && !answer.moreComing)
  }

  @Test(arguments: [
    #"{"zones":[{"zoneID":{"zoneName":"Z"},"moreComing":true,"syncToken":"t","records":[RECORD]}]}"#,
    #"{"zones":[{"records":[RECORD],"syncToken":"t","moreComing":true,"zoneID":{"zoneName":"Z"}}]}"#,
  ])
  func `Records of the surrounding zone are read`(json: String) throws {
    let body = json.replacing(
      "RECORD", with: #"{"recordName":"a","recordType":"T"},{"recordName":"b","deleted":true}"#)
    guard
      case .page(let zone, let page)? = try ChangesZoneResponse(answer: Array(body.utf8)).zones
        .first,
      case .record(let shown)? = page.records.first
    else { throw NoRecord() }
    #expect(zone.zoneName == "Z" && shown.record.identifier.zone == zone)
    #expect(
      page.moreComing && page.syncToken == "t"
        && page.records.last == .deleted(DeletedRecord(recordName: "b")))
  }
}

/// Responses about shares, users, subscriptions, files and devices as Apple's documentation writes
/// them.
@Suite struct `More of Apple's documented responses` {
  private func read<Answer: ClientResponse>(_ json: String) throws -> Answer {
    try Answer(answer: Array(json.utf8))
  }

  @Test func `Fetched share metadata is read`() throws {
    let answer: SharesResponse = try read(
      #"""
      {"results":[{"shortGUID":{"value":"g1","shouldFetchRootRecord":true},"containerIdentifier":"iCloud.x","environment":"PRODUCTION",
        "share":{"recordName":"Share-1","recordType":"cloudkit.share","publicPermission":"NONE"},"databaseScope":"SHARED",
        "zoneID":{"zoneName":"Z","ownerRecordName":"_o"},"rootRecordName":"root","rootRecord":{"recordName":"root","recordType":"T"},
        "ownerIdentity":{"userRecordName":"_o","nameComponents":{"givenName":"O"}},"participantType":"USER","participantStatus":"INVITED",
        "participantPermission":"READ_WRITE","potentialMatchList":[{"participantId":"p","contactInformation":"a…@x"}]},
       {"reason":"gone","serverErrorCode":"NOT_FOUND","shortGUID":{"value":"g2"}},{"shortGUID":{"value":"g3"}}]}
      """#)
    guard case .share(let metadata) = answer.results[0] else { throw Unexpected() }
    #expect(metadata.container == ContainerAddress(container: "iCloud.x", environment: .production))
    #expect(
      metadata.scope == .shared && metadata.zone.zoneName == "Z" && metadata.rootName == "root")
    #expect(
      metadata.share.record.identifier.zone == metadata.zone
        && metadata.root?.record.recordType == "T")
    #expect(
      metadata.role == .user && metadata.acceptance == .invited && metadata.permission == .readWrite
    )
    #expect(metadata.potentialMatches.map(\.identity.lookupInfo) == [.emailAddress("a…@x")])
    #expect(answer.results[1] == .failed(shortIdentifier: "g2", CloudError(.notFound, "gone")))
    guard case .failed("g3", let error) = answer.results[2] else { throw Unexpected() }
    #expect(error.reason.contains("containerIdentifier"))
  }

  private struct Unexpected: Error {}

  @Test(arguments: [
    #"{"users":[{"userRecordName":"_me","nameComponents":{"givenName":"A"}},7]}"#,
    #"{"userRecordName":"_me","nameComponents":{"givenName":"A"},"firstName":"A"}"#,
  ])
  func `One user and several users are read`(json: String) throws {
    let answer: UsersResponse = try read(json)
    #expect(
      answer.users == [UserIdentity(userRecordName: "_me", nameComponents: .init(givenName: "A"))])
  }

  @Test func `Subscriptions are read`() throws {
    let answer: SubscriptionsResponse = try read(
      #"""
      {"subscriptions":[
        {"subscriptionID":"q","subscriptionType":"query","query":{"recordType":"T","filterBy":[]},"firesOn":["create","update"],"zoneWide":true},
        {"subscriptionID":"z","subscriptionType":"ZONE","zoneID":{"zoneName":"Z"},"notificationInfo":{"shouldBadge":true,"new":1}},
        {"subscriptionID":"u","zoneID":{"zoneName":"Z"}},{"subscriptionID":"d","deleted":true},
        {"subscriptionID":"e","reason":"could not find subscription we just created","serverErrorCode":"INTERNAL_ERROR"},
        {"subscriptionID":"s","subscriptionType":"stars"},{"subscriptionType":"database"}]}
      """#)
    let zone = RecordZoneIdentifier(zoneName: "Z", ownerName: "__defaultOwner__")
    var badge = NotificationInfo()
    badge.shouldBadge = true
    #expect(
      answer.subscriptions.prefix(5) == [
        .subscription(
          Subscription(
            identifier: "q", kind: .query(SubscriptionQuery(recordType: "T"), zone: nil),
            firesOn: [.create, .update])),
        .subscription(Subscription(identifier: "z", kind: .zone(zone), notification: badge)),
        .subscription(Subscription(identifier: "u", kind: .zone(zone))), .deleted("d"),
        .failed("e", CloudError(.internalError, "could not find subscription we just created")),
      ])
    guard case .failed("s", _) = answer.subscriptions[5],
      case .failed("", let error) = answer.subscriptions[6]
    else {
      throw Unexpected()
    }
    #expect(error.reason.contains("subscriptionID"))
  }

  @Test func `Upload addresses and receipts are read`() throws {
    let upload: AssetsUploadResponse = try read(
      #"{"tokens":[{"recordName":"r","fieldName":"f","url":"https://u"}]}"#)
    #expect(upload.tokens == [.init(recordName: "r", fieldName: "f", url: "https://u")])
    #expect(throws: CloudError.self) {
      let _: AssetsUploadResponse = try read(#"{"tokens":[{"recordName":"r"}]}"#)
    }
    let receipt: AssetReceiptResponse = try read(
      #"{"singleFile":{"wrappingKey":"w","fileChecksum":"c","receipt":"r","referenceChecksum":"x","size":7}}"#
    )
    #expect(
      receipt.asset
        == AssetValue(
          fileChecksum: "c", size: 7, referenceChecksum: "x", wrappingKey: "w", receipt: "r"))
    let again: AssetsRereferenceResponse = try read(
      #"{"assets":[{"fileChecksum":"c","receipt":"r"},{"recordName":"a","serverErrorCode":"NOT_FOUND","reason":"n"}]}"#
    )
    #expect(
      again.assets.last == .failed(recordName: "a", CloudError(.notFound, "n"))
        && again.assets.count == 2)
  }

  @Test func `Device tokens are read`() throws {
    let token: PushTokenResponse = try read(#"{"apnsToken":"AAEC","webcourierURL":"https://w"}"#)
    #expect(
      token
        == PushTokenResponse(environment: "production", token: "AAEC", webcourierURL: "https://w"))
    let _: EmptyResponse = try read("")
  }

  @Test func `Key bags fail one by one`() throws {
    let answer: KeyBagsResponse = try read(
      #"""
      {"bags":[{"bagType":"USER_PRIVATE","userRecordName":"_me","generation":2,"modified":5,"data":"AAEC"},
        {"bagType":"ZONE","zoneID":{"zoneName":"Z"},"serverErrorCode":"CONFLICT","reason":"stale"},
        {"bagType":"USER_PUBLIC","data":"?"}]}
      """#)
    #expect(
      answer.items.prefix(2) == [
        .init(
          .privateUser, .bag(generation: 2, modified: Timestamp(milliseconds: 5), data: [0, 1, 2])),
        .init(.zone(ZoneReference(zoneName: "Z")), .failed(CloudError(.conflict, "stale"))),
      ])
    guard case .failed = answer.items[2].result else { throw Unexpected() }
  }
}
