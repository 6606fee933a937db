import CloudRecords
import CloudWire
import TestSupport

/// Random values of every kind.
struct Samples {
  var random: SeededGenerator

  init(_ random: SeededGenerator = .forTest()) { self.random = random }

  /// The seed that makes the same values again.
  var seed: String { random.description }

  // MARK: Plain values

  mutating func chance(_ percent: Int = 50) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  mutating func text() -> String {
    let letters = Array("abcXYZ019_-. /\\\"\n\u{1}äß🙂é")
    return String(
      (0..<Int.random(in: 0...12, using: &random)).map { _ in
        letters.randomElement(using: &random) ?? "a"
      })
  }

  mutating func name() -> String {
    let letters = Array("abcdefXYZ0189_")
    return "n"
      + String(
        (0..<Int.random(in: 0...40, using: &random)).map { _ in
          letters.randomElement(using: &random) ?? "a"
        })
  }

  mutating func integer() -> Int64 {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: [0, 1, -1, .max, .min, 1 << 53].randomElement(using: &random) ?? 0
    case 1: Int64.random(in: .min ... .max, using: &random)
    default: Int64.random(in: -1_000...1_000, using: &random)
    }
  }

  mutating func double() -> Double {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: [0, -0.0, 3, 1e300, -2e-308, 0.1].randomElement(using: &random) ?? 0
    case 1: finite(Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random)))
    default: Double.random(in: -100...100, using: &random)
    }
  }

  private func finite(_ number: Double) -> Double { number.isFinite ? number : 1.5 }

  mutating func timestamp() -> Timestamp {
    Timestamp(milliseconds: Int64.random(in: 0...2_000_000_000_000, using: &random))
  }

  mutating func bytes() -> [UInt8] {
    (0..<Int.random(in: 0...40, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
  }

  mutating func list<Value>(_ most: Int = 4, _ value: (inout Samples) -> Value) -> [Value] {
    (0..<Int.random(in: 0...most, using: &random)).map { _ in value(&self) }
  }

  mutating func maybe<Value>(_ value: (inout Samples) -> Value) -> Value? {
    chance() ? value(&self) : nil
  }

  mutating func one<Value>(of values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  // MARK: Names

  mutating func zone() -> RecordZoneIdentifier {
    RecordZoneIdentifier(zoneName: chance(30) ? "_defaultZone" : name(), ownerName: "_" + name())
  }

  mutating func zoneReference() -> ZoneReference {
    ZoneReference(zoneName: name(), ownerName: maybe { $0.name() })
  }

  mutating func reference() -> RecordReference {
    RecordReference(
      recordName: name(), zone: maybe { $0.zone() },
      action: one(of: RecordReference.Action.allCases))
  }

  mutating func asset() -> AssetValue {
    AssetValue(
      fileChecksum: text(), size: Int64.random(in: 0...Int64.max, using: &random),
      referenceChecksum: maybe { $0.text() },
      wrappingKey: maybe { $0.text() }, receipt: maybe { $0.text() },
      downloadURL: maybe { $0.text() })
  }

  mutating func location() -> LocationValue {
    var place = LocationValue(
      latitude: Double.random(in: -90...90, using: &random),
      longitude: Double.random(in: -180...180, using: &random))
    place.horizontalAccuracy = maybe { $0.double() }
    place.verticalAccuracy = maybe { $0.double() }
    place.altitude = maybe { $0.double() }
    place.speed = maybe { $0.double() }
    place.course = maybe { $0.double() }
    place.timestamp = maybe { $0.timestamp() }
    return place
  }

  // MARK: Fields

  mutating func value(of type: FieldType? = nil) -> FieldValue {
    switch type ?? one(of: FieldType.allCases) {
    case .string: .string(text())
    case .int64: .int64(integer())
    case .double: .double(double())
    case .timestamp: .timestamp(timestamp())
    case .bytes: .bytes(bytes())
    case .reference: .reference(reference())
    case .asset: .asset(asset())
    case .location: .location(location())
    case let list:
      .list(of: list.member ?? .string, self.list { $0.value(of: list.member ?? .string) })
    }
  }

  mutating func fields() -> RecordFields {
    var fields = RecordFields()
    for name in list(8, { $0.name() }) { fields[name] = Field(value(), isEncrypted: chance(20)) }
    return fields
  }

  /// A field of a request.
  ///
  /// A value without a stated type is of a kind from which the type can be inferred.
  mutating func fieldInput() -> FieldInput {
    let content: FieldInput.Content =
      switch Int.random(in: 0..<6, using: &random) {
      case 0: .clear
      case 1: .emptyList
      case 2:
        .inferred(value(of: one(of: [.string, .int64, .double, .reference, .asset, .location])))
      default: .stated(value())
      }
    return FieldInput(content, isEncrypted: chance(20))
  }

  // MARK: Records

  mutating func stamp() -> RecordStamp {
    RecordStamp(time: timestamp(), userRecordName: name(), deviceIdentifier: text())
  }

  mutating func identity() -> UserIdentity {
    var components = UserIdentity.NameComponents(givenName: text(), familyName: maybe { $0.text() })
    components.nickname = maybe { $0.text() }
    components.namePrefix = maybe { $0.text() }
    return UserIdentity(
      userRecordName: maybe { $0.name() }, nameComponents: chance() ? components : nil,
      lookupInfo: maybe { $0.lookupInfo() })
  }

  mutating func lookupInfo() -> UserIdentity.LookupInfo {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: .emailAddress("\(name())@example.com")
    case 1: .phoneNumber("+4930\(Int.random(in: 1...999, using: &random))")
    default: .userRecordName(name())
    }
  }

  mutating func notificationInfo() -> NotificationInfo {
    var info = NotificationInfo()
    for text in NotificationInfo.texts {
      info[keyPath: text] = NotificationInfo.Text(
        maybe { $0.text() }, localizationKey: maybe { $0.text() }, arguments: list { $0.text() })
    }
    info.alertActionLocalizationKey = maybe { $0.text() }
    info.alertLaunchImage = maybe { $0.text() }
    info.soundName = maybe { $0.text() }
    info.category = maybe { $0.text() }
    info.shouldBadge = chance()
    info.shouldSendContentAvailable = chance()
    info.shouldSendMutableContent = chance()
    info.collapseField = maybe { $0.name() }
    info.additionalFields = list { $0.text() }
    return info
  }

  mutating func participant(_ role: ShareParticipant.Role? = nil) -> ShareParticipant {
    var participant = ShareParticipant(
      identifier: name(), identity: identity(),
      role: role ?? one(of: ShareParticipant.Role.allCases),
      permission: one(of: ShareParticipant.Permission.allCases),
      acceptance: one(of: ShareParticipant.Acceptance.allCases), isApprovedRequester: chance())
    participant.oneTimeName = maybe { $0.name() }
    participant.added = maybe { Timestamp(milliseconds: $0.chance() ? 0 : 1_767_225_600_000) }
    participant.joinProof = maybe { Array($0.name().utf8) }
    return participant
  }

  mutating func participantInput() -> ParticipantInput {
    var input = ParticipantInput()
    input.identifier = maybe { $0.name() }
    input.isOneTime = chance()
    input.identity = identity()
    input.role = maybe { $0.one(of: ShareParticipant.Role.allCases) }
    input.permission = maybe { $0.one(of: ShareParticipant.Permission.allCases) }
    input.acceptance = maybe { $0.one(of: ShareParticipant.Acceptance.allCases) }
    return input
  }

  mutating func record(in zone: RecordZoneIdentifier? = nil) -> VisibleRecord {
    var record = CloudRecord(
      identifier: RecordIdentifier(recordName: name(), zone: zone ?? self.zone()),
      recordType: name(),
      changeTag: name(),
      fields: fields(), created: stamp(), modified: stamp())
    record.parentName = maybe { $0.name() }
    record.shareName = maybe { $0.name() }
    record.shortIdentifier = maybe { $0.name() }
    var shown = VisibleRecord(record: record)
    if chance(20) {
      shown.record.recordType = ShareDetails.recordType
      shown.record.share = ShareDetails(
        publicPermission: one(of: ShareParticipant.Permission.allCases),
        participants: [participant(.owner)] + list { $0.participant() })
      shown.record.share?.requests = ShareRequests(
        areAllowed: chance(), requesters: list { $0.identity() }, blocked: list { $0.identity() })
      shown.ownParticipant = maybe { $0.participant() }
      shown.shareURL = maybe { $0.text() }
    }
    return shown
  }

  mutating func error() -> CloudError {
    var error = CloudError(
      one(of: CloudErrorCode.allCases), text(),
      extension: maybe { $0.one(of: CloudError.Extension.allCases) },
      retryAfterSeconds: maybe { Int.random(in: 0...100_000, using: &$0.random) },
      redirectURL: maybe { $0.text() })
    if chance(20) {
      error.code = .internalError
      error.unknownCode = "LATER_\(name())"
    }
    return error
  }

  mutating func recordResult() -> RecordResult {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .failed(recordName: name(), error())
    case 1:
      .deleted(
        DeletedRecord(
          recordName: name(), zone: maybe { $0.zone() }, recordType: maybe { $0.name() }))
    default: .record(record())
    }
  }

  mutating func recordInput() -> RecordInput {
    var record = RecordInput()
    record.recordName = maybe { $0.name() }
    record.recordType = maybe { $0.name() }
    record.recordChangeTag = maybe { $0.name() }
    record.fields = Set(list(8) { $0.name() }).sorted().map { .init(name: $0, field: fieldInput()) }
    record.zone = maybe { $0.zoneReference() }
    record.desiredKeys = maybe { $0.list { $0.name() } }
    record.createShortGUID = chance()
    record.parent = [.unchanged, .none, .record(name())][Int.random(in: 0..<3, using: &random)]
    record.root = maybe {
      RecordInput.Root(recordName: $0.name(), recordChangeTag: $0.maybe { $0.name() })
    }
    record.publicPermission = maybe { $0.one(of: ShareParticipant.Permission.allCases) }
    record.participants = maybe { $0.list { $0.participantInput() } }
    record.requests.areAllowed = maybe { $0.chance() }
    record.requests.denied = list { $0.identity() }
    record.requests.blocked = maybe { $0.list { $0.identity() } }
    record.deviceIdentifier = maybe { $0.text() }
    return record
  }
}
