import CloudRecords
import JSONCoding

/// An error in a response or in one of its items, with the identifiers that it refers to.
///
/// No member is required, and malformed members are ignored, because the caller has no other
/// description of the error.
struct ErrorItem {
  var recordName: String?
  var zone: RecordZoneIdentifier?
  var subscriptionIdentifier: String?
  var shortIdentifier: String?
  /// The identifier of the request in the server's log.
  var requestIdentifier: String?

  private var code: String?
  private var reason: String?
  private var extensionCode: String?
  private var retryAfterSeconds: Int?
  private var redirectURL: String?
  private var lostHistory: LostHistory?

  /// The error, or nil if there is none.
  var error: CloudError? {
    guard let code else { return nil }
    let known = CloudErrorCode(rawValue: code)
    var error = CloudError(
      known ?? .internalError, reason ?? "The server answered \(code) without a reason.",
      extension: extensionCode.flatMap(CloudError.Extension.init(rawValue:)),
      retryAfterSeconds: retryAfterSeconds,
      redirectURL: redirectURL)
    if known == nil { error.unknownCode = code }
    error.lostHistory = lostHistory
    return error
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    guard try reader.peek() == .object else {
      try reader.skip()
      return
    }
    try reader.beginObject()
    // Repeated keys are allowed here. The first one counts.
    while let key = try reader.nextKey() { try take(key, from: &reader) }
  }

  private mutating func take(_ key: String, from reader: inout JSONReader) throws(JSONError) {
    switch key {
    case "recordName":
      try reader.take(&recordName) { (reader) throws(JSONError) in try reader.string() }
    case "zoneID":
      try reader.take(&zone) { (reader) throws(JSONError) in
        try RecordZoneIdentifier(answered: &reader)
      }
    case "subscriptionID":
      try reader.take(&subscriptionIdentifier) { (reader) throws(JSONError) in try reader.string() }
    case "shortGUID":
      try reader.take(&shortIdentifier) { (reader) throws(JSONError) in
        try ShareLookup(from: &reader).shortIdentifier
      }
    case "uuid":
      try reader.take(&requestIdentifier) { (reader) throws(JSONError) in try reader.string() }
    default: try takeError(key, from: &reader)
    }
  }

  private mutating func takeError(_ key: String, from reader: inout JSONReader) throws(JSONError) {
    switch key {
    // Newer responses of Apple use the second names.
    case "serverErrorCode", "error_code":
      try reader.take(&code) { (reader) throws(JSONError) in try reader.string() }
    case "reason", "messageForDeveloper":
      try reader.take(&reason) { (reader) throws(JSONError) in try reader.string() }
    case "extensionErrorCode":
      try reader.take(&extensionCode) { (reader) throws(JSONError) in try reader.string() }
    case "redirectURL", "redirectUrl":
      try reader.take(&redirectURL) { (reader) throws(JSONError) in try reader.string() }
    case "retryAfter":
      try reader.take(&retryAfterSeconds) { (reader) throws(JSONError) in
        Int(max(0, min(try reader.doubleOrText().rounded(.up), Double(Limits.longestWaitSeconds))))
      }
    case "restoration":
      try reader.take(&lostHistory) { (reader) throws(JSONError) in try LostHistory(from: &reader) }
    default: try reader.skip()
    }
  }
}

extension JSONReader {
  /// Reads a value, or skips it if it cannot be read.
  mutating func ifReadable<Value>(
    _ read: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value? {
    switch try attempt(read) {
    case .success(let value): value
    case .failure: nil
    }
  }

  /// Reads a value if there is none yet, and skips a malformed one.
  fileprivate mutating func take<Value>(
    _ value: inout Value?, _ read: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) {
    let found = try ifReadable(read)
    value = value ?? found
  }

  /// Reads the items of a response.
  ///
  /// A malformed item counts as failed and does not affect the others.
  mutating func items<Item>(
    _ read: (inout JSONReader) throws(JSONError) -> Item, failed: (ErrorItem, CloudError) -> Item
  ) throws(JSONError) -> [Item] {
    try lenientList { (reader) throws(JSONError) in try reader.oneItem(read, failed: failed) }
  }

  /// Reads one item of a response.
  mutating func oneItem<Item>(
    _ read: (inout JSONReader) throws(JSONError) -> Item, failed: (ErrorItem, CloudError) -> Item
  ) throws(JSONError) -> Item {
    let place = try savedPosition()
    switch try attempt(read) {
    case .success(let item): return item
    case .failure(let failure):
      let item = try self.read(place) { (reader) throws(JSONError) in try ErrorItem(from: &reader) }
      return failed(
        item,
        item.error
          ?? CloudError(
            .internalError, "An item of the server's answer cannot be read: \(failure)."))
    }
  }

  /// Returns the error to throw for an item that contains an error.
  ///
  /// `oneItem` then reads the item again, as an `ErrorItem`.
  func itemIsError() -> JSONError { invalidValue("the item is an error") }
}
