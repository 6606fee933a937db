import BinaryCoding
import CloudRecords
import Testing

/// The binary form of values, which is stored and must not change.
@Suite struct BinaryFormTests {
  private static let location: FieldValue = {
    var location = LocationValue(latitude: 48.5, longitude: -2)
    location.altitude = 7
    location.timestamp = Timestamp(milliseconds: -1)
    return .location(location)
  }()

  private static let values: [FieldValue] = [
    .string(""), .string("Käse"), .int64(.min), .int64(0), .double(-0.5), .double(.infinity),
    .timestamp(Timestamp(milliseconds: 1_700_000_000_123)), .bytes([0, 255]),
    .reference(RecordReference(recordName: "a", zone: nil, action: .deleteSelf)),
    .reference(
      RecordReference(
        recordName: "b", zone: RecordZoneIdentifier(zoneName: "z", ownerName: "o"), action: .none)),
    .asset(
      AssetValue(fileChecksum: "c", size: 9, referenceChecksum: nil, wrappingKey: "key")),
    location, .list(of: .string, []), .list(of: .int64, [.int64(1), .int64(-1)]),
    .list(of: .location, [location, location]),
  ]

  @Test(arguments: values) func `A value survives its binary form`(value: FieldValue) {
    #expect(FieldValue(value.type, binaryForm: value.binaryForm) == value)
  }

  @Test func `The bytes of stored values do not change`() {
    #expect(FieldValue.string("ab").binaryForm == [2, 97, 98])
    #expect(FieldValue.int64(-1).binaryForm == [1] && FieldValue.int64(1).binaryForm == [2])
    #expect(FieldValue.double(1).binaryForm == [0, 0, 0, 0, 0, 0, 0xf0, 0x3f])
    #expect(FieldValue.list(of: .bytes, [.bytes([7]), .bytes([])]).binaryForm == [2, 1, 7, 0])
    #expect(
      FieldValue.reference(RecordReference(recordName: "a", zone: nil, action: .none)).binaryForm
        .dropFirst() == [1, 97, 0])
  }

  @Test(arguments: values) func `A truncated or overlong form is rejected`(value: FieldValue) {
    let form = value.binaryForm
    for count in 0..<form.count {
      #expect(FieldValue(value.type, binaryForm: Array(form.prefix(count))) == nil)
    }
    #expect(FieldValue(value.type, binaryForm: form + [0]) == nil)
  }
}
