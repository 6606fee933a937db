import BinaryCoding
import CloudRecords
import CloudWire

/// The latest requests of one client, as long as it may send them again.
struct StoredRequests: Hashable, Sendable {
  private struct Answered: Hashable, Sendable {
    var number: UInt64
    /// Tells the request from another one; nil for a call that was made without a request's bytes.
    var fingerprint: [UInt8]?
    var fates: ReportedOutcomes
  }

  /// What is known of a request when it comes.
  enum Place: Equatable {
    /// It has not come before.
    case new
    /// It was done.
    case done(ReportedOutcomes)
    /// Another one that has its number was done.
    case other
    /// It was done, and nobody knows any more what was told of it.
    case forgotten
    /// Nobody knows any more whether it was done.
    case unknown
    /// Its client has given it up.
    case over
  }

  /// When the client came last, as far as that was noted (`RequestClients`).
  var used: Timestamp
  /// What lies before is over.
  private var oldest: UInt64 = 0
  /// Those that were done before and have no place among the answered ones.
  private var forgotten = NumberRanges()
  /// Those that were done, in the order in which they were.
  private var answered: [Answered] = []

  init(used: Timestamp) { self.used = used }

  /// - Parameter fingerprint: What tells the request from another one.
  func place(of stamp: RequestStamp, _ fingerprint: [UInt8]?) -> Place {
    if stamp.number < oldest { return .over }
    guard let known = answered.first(where: { $0.number == stamp.number }) else {
      return forgotten.contains(stamp.number).map { $0 ? .forgotten : .new } ?? .unknown
    }
    if let fingerprint, let other = known.fingerprint, fingerprint != other { return .other }
    return .done(known.fates)
  }

  /// Remembers what was told, and forgets what the client does not wait for any more.
  ///
  /// Where there is no room for more answers, the first one goes, and the number stays.
  mutating func note(_ fates: ReportedOutcomes, of stamp: RequestStamp, _ fingerprint: [UInt8]?) {
    oldest = max(oldest, stamp.oldest)
    answered.removeAll { $0.number < oldest }
    forgotten.remove(before: oldest)
    answered.append(Answered(number: stamp.number, fingerprint: fingerprint, fates: fates))
    while answered.count > ServerLimits.requestsOfClient {
      forgotten.insert(answered.removeFirst().number, atMost: ServerLimits.requestsOfClient)
    }
  }

  // MARK: Form

  private static let version: UInt8 = 1

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 64)
    form.byte(Self.version)
    form.signed(used.milliseconds)
    form.number(oldest)
    forgotten.write(to: &form)
    form.count(answered.count)
    for request in answered {
      form.number(request.number)
      form.optional(request.fingerprint) { $0.fixed($1) }
      request.fates.write(to: &form)
    }
    return form.bytes
  }

  init(bytes: [UInt8]) throws(BinaryCodingError) {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else {
      throw form.damage("an unknown form of a client's requests")
    }
    used = Timestamp(milliseconds: try form.signed())
    oldest = try form.number()
    forgotten = try NumberRanges(from: &form)
    answered = try form.list { (form) throws(BinaryCodingError) in
      let number = try form.number()
      let fingerprint = try Self.fingerprint(from: &form)
      return Answered(
        number: number, fingerprint: fingerprint, fates: try ReportedOutcomes(from: &form))
    }
    try form.requireEnd()
  }

  /// So short that a row stays small, and long enough for requests that one client makes by
  /// mistake.
  static let fingerprintByteCount = 8

  private static func fingerprint(from form: inout BinaryReader) throws(BinaryCodingError)
    -> [UInt8]?
  {
    try form.optional { (form) throws(BinaryCodingError) in try form.fixed(fingerprintByteCount) }
  }
}
