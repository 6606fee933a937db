import BinaryCoding
import CloudRecords
import CloudWire

/// A position in a feed, as clients hold it: opaque, and good for that feed only.
///
/// It protects nothing; what a reader may see is decided anew each time.
struct FeedToken: Hashable {
  /// Which feed a token belongs to.
  enum Feed: UInt8 {
    case zone = 1
    case database = 2
    /// Of a zone, the newest changes first.
    case reversedZone = 3
  }

  /// Of a zone: where the client stands in it, as `ZoneWalk` says.
  ///
  /// Of a database: for each zone that the client knows, its position when the client was told.
  struct Mark: Hashable {
    var zone: UInt64
    var position: UInt64
  }

  var feed: Feed
  var realm: Realm
  /// Who reads: what is shared with a user is another feed for each.
  var reader: String
  var marks: [Mark]
  /// The history that it was given out in: no other knows what lies behind it.
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

  /// A token of a database with thousands of zones is shorter.
  private static let textBytes = 1 << 18
}

// MARK: - As clients send it

extension FeedToken {
  /// A token that a client sent.
  ///
  /// It may be of another history: whoever goes on with it looks at that.
  ///
  /// - Parameter history: The one that the feed is in.
  /// - Throws: `BAD_REQUEST` where the token is none, or belongs to another feed or reader;
  ///   `CHANGE_TOKEN_EXPIRED` where that may come from another history, in which numbers meant
  ///   something else.
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
      "The syncToken does not belong to this feed. Send the token that the last answer of the same database and zone gave, or none to begin anew."
    )
  }

  /// Whether a text is a token of a feed.
  static func isToken(_ text: String, of feed: Feed, realm: Realm, reader: String) -> Bool {
    (try? parse(text, feed: feed, realm: realm, reader: reader))?.isFitting ?? false
  }

  /// - Returns: Nil for what is no token of a feed of that kind; else the token, and whether realm
  ///   and reader are its own.
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
  /// The position cannot be gone on from.
  static func tokenExpired() -> CloudError {
    CloudError(
      .badRequest,
      "The syncToken is older than the feed reaches, or the server was restored since. Read from the beginning, without a token.",
      extension: .changeTokenExpired)
  }

  /// The position is one in a zone that is gone, though another one has its name.
  static func zoneRecreated(_ zone: RecordZoneIdentifier) -> CloudError {
    CloudError(
      .badRequest,
      "The zone “\(zone.zoneName)” was deleted and made anew since the syncToken was given. Read from the beginning, without a token, and save again what the device has.",
      extension: .zoneRecreated)
  }
}
