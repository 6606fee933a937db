import CloudRecords
import CloudWire
import JSONCoding

/// Server responses: a client decodes any bytes or rejects them with an error, and decoded
/// responses survive encoding and decoding.
enum AnswerTarget: FuzzTarget {
  static let name = "answer"

  static func run(_ bytes: [UInt8]) {
    check(RecordsModifyResponse.self, bytes)
    check(RecordsQueryResponse.self, bytes)
    check(RecordsLookupResponse.self, bytes)
    check(ChangesDatabaseResponse.self, bytes)
    check(ChangesZoneResponse.self, bytes)
    check(RecordsChangesResponse.self, bytes)
    check(ZonesResponse.self, bytes)
    check(SharesResponse.self, bytes)
    check(SubscriptionsResponse.self, bytes)
    check(UsersResponse.self, bytes)
    check(AssetsUploadResponse.self, bytes)
    check(AssetsRereferenceResponse.self, bytes)
    check(AssetReceiptResponse.self, bytes)
    check(KeyBagsResponse.self, bytes)
    check(PushTokenResponse.self, bytes)
    check(PushNotification.self, bytes)
    check(ErrorResponse.self, bytes)
    _ = CloudError(status: 502, answer: bytes)
    follow(bytes)
  }

  private static func check<Answer: ClientResponse>(_ answer: Answer.Type, _ bytes: [UInt8]) {
    guard let read = try? Answer(answer: bytes) else { return }
    var writer = JSONWriter()
    read.write(to: &writer)
    require((try? Answer(answer: writer.array())) != nil, "\(answer) is written and cannot be read")
  }

  /// A stream gives the same notifications, however its bytes are divided.
  private static func follow(_ bytes: [UInt8]) {
    var whole = NotificationStream()
    let atOnce = whole.take(bytes)
    var parts = NotificationStream()
    let byByte = bytes.flatMap { parts.take([$0]) }
    require(atOnce == byByte, "a notification depends on where pieces end")
  }
}
