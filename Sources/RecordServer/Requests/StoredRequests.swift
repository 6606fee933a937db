import BinaryCoding
import CloudRecords
import CloudWire

/// The latest requests of a client, for as long as it may replay them.
struct StoredRequests: Hashable, Sendable {
  private struct Answered: Hashable, Sendable {
    var number: UInt64
    /// Distinguishes the request from others; nil if the call had none.
    var fingerprint: [UInt8]?
    var outcomes: ReportedOutcomes
  }

  /// The state of an arriving request.
  enum State: Equatable {
    /// The request has not arrived before.
    case new
    /// The request was carried out.
    case done(ReportedOutcomes)
    /// A different request with the same number was carried out.
    case other
    /// The request was carried out, but its outcome is forgotten.
    case forgotten
    /// It is unknown whether the request was carried out.
    case unknown
    /// The client has declared the request finished.
    case over
  }

  /// The client's last activity, as recorded (`RequestClients`).
  var used: Timestamp
  /// Requests with lower numbers are finished.
  private var oldest: UInt64 = 0
  /// Requests that were carried out and whose outcomes are not in `answered`.
  private var forgotten = NumberRanges()
  /// Requests with outcomes, in the order in which they were carried out.
  private var answered: [Answered] = []

  init(used: Timestamp) { self.used = used }

  /// Returns the state of an arriving request.
  ///
  /// - Parameter fingerprint: Distinguishes the request from others.
  func state(of stamp: RequestStamp, _ fingerprint: [UInt8]?) -> State {
    if stamp.number < oldest { return .over }
    guard let known = answered.first(where: { $0.number == stamp.number }) else {
      return forgotten.contains(stamp.number).map { $0 ? .forgotten : .new } ?? .unknown
    }
    if let fingerprint, let other = known.fingerprint, fingerprint != other { return .other }
    return .done(known.outcomes)
  }

  /// Remembers a request's outcomes, and removes requests that the client has finished.
  ///
  /// If there are too many outcomes, the oldest one is dropped, and only its number is kept.
  mutating func note(_ outcomes: ReportedOutcomes, of stamp: RequestStamp, _ fingerprint: [UInt8]?)
  {
    oldest = max(oldest, stamp.oldest)
    answered.removeAll { $0.number < oldest }
    forgotten.remove(before: oldest)
    answered.append(Answered(number: stamp.number, fingerprint: fingerprint, outcomes: outcomes))
    while answered.count > ServerLimits.requestsOfClient {
      forgotten.insert(answered.removeFirst().number, atMost: ServerLimits.requestsOfClient)
    }
  }

  // MARK: Encoding

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
      request.outcomes.write(to: &form)
    }
    return form.bytes
  }

  init(bytes: [UInt8]) throws(BinaryCodingError) {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else {
      throw form.error("an unknown form of a client's requests")
    }
    used = Timestamp(milliseconds: try form.signed())
    oldest = try form.number()
    forgotten = try NumberRanges(from: &form)
    answered = try form.list { (form) throws(BinaryCodingError) in
      let number = try form.number()
      let fingerprint = try Self.fingerprint(from: &form)
      return Answered(
        number: number, fingerprint: fingerprint, outcomes: try ReportedOutcomes(from: &form))
    }
    try form.requireEnd()
  }

  /// The length of a fingerprint: short enough to keep rows small, and long enough to detect a
  /// client's mistakes.
  static let fingerprintByteCount = 8

  private static func fingerprint(from form: inout BinaryReader) throws(BinaryCodingError)
    -> [UInt8]?
  {
    try form.optional { (form) throws(BinaryCodingError) in try form.fixed(fingerprintByteCount) }
  }
}
