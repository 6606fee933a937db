import BinaryCoding
import CloudRecords
import CloudWire

/// A position in a feed, which clients hold as an opaque token for that feed.
///
/// It grants no access; permissions are checked with each request.
struct FeedToken: Hashable {
  /// The feed that a token belongs to.
  enum Feed: UInt8 {
    case zone = 1
    case database = 2
    /// A zone, newest changes first.
    case reversedZone = 3
    /// The zones that other users share with a user. `SharedFeedPosition` is the position.
    case sharedDatabase = 4
  }

  /// A pair of numbers, usually a zone and a position in it.
  ///
  /// The marks of a zone's token encode a `ZoneWalk`, and those of a shared database's token a
  /// `SharedFeedPosition`. The token of a user's own database has the last reported position of
  /// each known zone.
  struct Mark: Hashable {
    var zone: UInt64
    var position: UInt64
  }

  var feed: Feed
  var realm: Realm
  /// The database scope and the user that read the feed, and the zone in a zone's token.
  var reader: String
  var marks: [Mark]
  /// The storage's history in which the token was issued.
  ///
  /// Positions after the restored backup are meaningless in another history.
  var history = StoreHistory.first

  private static let version: UInt8 = 1

  var text: String {
    var form = BinaryWriter(capacity: 32)
    form.byte(Self.version)
    form.byte(feed.rawValue)
    form.number(realm.number)
    form.number(UInt64(Fingerprint.of(reader.utf8)))
    form.number(history.base)
    form.count(marks.count)
    for mark in marks {
      form.number(mark.zone)
      form.number(mark.position)
    }
    let check = Fingerprint.of(form.bytes)
    for shift in [24, 16, 8, 0] as [UInt32] { form.byte(UInt8(truncatingIfNeeded: check >> shift)) }
    return Base64Text.text(form.bytes)
  }

  /// The maximum length of a token, enough for a database with thousands of zones.
  private static let textBytes = 1 << 18
}

// MARK: - Text

extension FeedToken {
  /// Decodes a token from a client.
  ///
  /// The token may still belong to another history, so the caller must compare `history`.
  ///
  /// - Parameter history: The feed's current history.
  /// - Throws: `BAD_REQUEST` if the token is invalid, or belongs to another feed or reader.
  ///   `CHANGE_TOKEN_EXPIRED` if the realm or reader differs and the token comes from another
  ///   history, in which numbers had other meanings.
  init(
    _ text: String, feed: Feed, realm: Realm, reader: String, in history: StoreHistory
  ) throws(CloudError) {
    guard let (token, isFitting) = try? Self.parse(text, feed: feed, realm: realm, reader: reader)
    else {
      throw Self.foreign
    }
    guard isFitting else { throw token.history == history ? Self.foreign : .tokenExpired() }
    self = token
  }

  private static var foreign: CloudError {
    CloudError(
      .badRequest,
      "The syncToken does not belong to this feed. Send the token of the last response for the same database and zone, or none to start again."
    )
  }

  /// Whether a text is a token of a feed.
  static func isToken(_ text: String, of feed: Feed, realm: Realm, reader: String) -> Bool {
    (try? parse(text, feed: feed, realm: realm, reader: reader))?.isFitting ?? false
  }

  /// Parses a token.
  ///
  /// - Returns: The token, and whether its realm and reader match; nil if it is not a token of a
  ///   feed of that kind.
  private static func parse(
    _ text: String, feed: Feed, realm: Realm, reader: String
  ) throws -> (token: FeedToken, isFitting: Bool)? {
    guard text.utf8.count <= Self.textBytes, let bytes = Base64Text.bytes(text), bytes.count > 4
    else { return nil }
    let check = bytes.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard Fingerprint.of(bytes.dropLast(4)) == check else { return nil }
    var form = BinaryReader(Array(bytes.dropLast(4)))
    guard try form.byte() == Self.version, try form.byte() == feed.rawValue else { return nil }
    let isOfRealm = try form.number() == realm.number
    let isOfReader = try form.number() == UInt64(Fingerprint.of(reader.utf8))
    var token = FeedToken(feed: feed, realm: realm, reader: reader, marks: [])
    token.history = StoreHistory(base: try form.number())
    for _ in 0..<(try form.count()) {
      token.marks.append(Mark(zone: try form.number(), position: try form.number()))
    }
    return form.isAtEnd ? (token, isOfRealm && isOfReader) : nil
  }
}

extension CloudError {
  /// The feed cannot be continued from the position.
  static func tokenExpired() -> CloudError {
    CloudError(
      .badRequest,
      "The syncToken has expired: it is older than the feed, what the caller may see has changed, or the server was restored. Read from the start, without a token.",
      extension: .changeTokenExpired)
  }

  /// The position belongs to a deleted zone, although another zone has its name.
  static func zoneRecreated(_ zone: RecordZoneIdentifier) -> CloudError {
    CloudError(
      .badRequest,
      "The zone “\(zone.zoneName)” was deleted and recreated since the syncToken was issued. Read from the beginning, without a token, and save the device's records again.",
      extension: .zoneRecreated)
  }
}
