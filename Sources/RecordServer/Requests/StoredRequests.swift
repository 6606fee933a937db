import BinaryForms
import CloudRecords
import CloudWire

/// The latest requests of one client, as long as it may send them again.
struct StoredRequests: Hashable, Sendable {
  private struct Answered: Hashable, Sendable {
    var number: UInt64
    var fates: ToldFates
  }

  /// What is known of a request when it comes.
  enum Place: Equatable {
    /// It has not come before.
    case new
    /// It was done.
    case done(ToldFates)
    /// Its client has given it up.
    case over
  }

  /// When the client came last.
  private(set) var used: Timestamp
  /// What lies before is over.
  private var oldest: UInt64 = 0
  /// Those that were done, by their numbers.
  private var answered: [Answered] = []

  init(used: Timestamp) { self.used = used }

  func place(of stamp: RequestStamp) -> Place {
    if stamp.number < oldest { return .over }
    return answered.first { $0.number == stamp.number }.map { .done($0.fates) } ?? .new
  }

  /// Remembers what was told, and forgets what the client does not wait for any more.
  mutating func note(_ fates: ToldFates, of stamp: RequestStamp, at now: Timestamp) {
    used = now
    oldest = max(oldest, stamp.oldest)
    answered.removeAll { $0.number < oldest }
    answered.append(Answered(number: stamp.number, fates: fates))
    answered.sort { $0.number < $1.number }
    answered.removeFirst(max(0, answered.count - ServerLimits.requestsOfClient))
  }

  // MARK: Form

  private static let version: UInt8 = 1

  var bytes: [UInt8] {
    var form = FormWriter(capacity: 64)
    form.byte(Self.version)
    form.signed(used.milliseconds)
    form.number(oldest)
    form.count(answered.count)
    for request in answered {
      form.number(request.number)
      request.fates.write(to: &form)
    }
    return form.bytes
  }

  init(bytes: [UInt8]) throws(FormDamage) {
    var form = FormReader(bytes)
    guard try form.byte() == Self.version else { throw form.damage("an unknown form of a client's requests") }
    used = Timestamp(milliseconds: try form.signed())
    oldest = try form.number()
    answered = try form.list { (form) throws(FormDamage) in
      Answered(number: try form.number(), fates: try ToldFates(from: &form))
    }
    try form.requireEnd()
  }
}
