import BinaryCoding
import CloudRecords
import RecordStorage

/// An invitation in the mail queue.
///
/// It identifies only the share and the participant. The mail is composed from the current share
/// when it is sent, so a withdrawn invitation is not sent.
struct QueuedMail: Hashable, Sendable {
  var place: SharePlace
  var realm: Realm
  var participant: String
  /// The time from which the mail may be sent.
  var start: Timestamp
  /// The number of failed attempts.
  var attempts: UInt64 = 0
  /// The time of the next attempt.
  var due: Timestamp

  init(place: SharePlace, realm: Realm, participant: String, start: Timestamp) {
    self.place = place
    self.realm = realm
    self.participant = participant
    self.start = start
    due = start
  }

  /// The number of seconds after `start` at which retries end.
  static let seconds: Int64 = 3 * 86_400

  /// The mail after a failed attempt; nil if retries end.
  ///
  /// The back-off doubles from a minute to an hour.
  func failed(at now: Timestamp) -> QueuedMail? {
    guard now < start.adding(seconds: Self.seconds) else { return nil }
    var next = self
    next.attempts += 1
    next.due = now.adding(seconds: min(3_600, 60 << Int64(min(attempts, 6))))
    return next
  }
}

/// The queued invitations, by the time of their next attempt.
enum MailQueue {
  private static let partition = "_mail"
  private static var prefix: StorageKey {
    StorageKey(partition: partition, keyspace: Keyspace.mail.rawValue)
  }

  private static func key(_ mail: QueuedMail) -> StorageKey {
    var key = prefix
    key.append(signed: mail.due.milliseconds)
    key.append(unsigned: mail.realm.number)
    key.append(text: mail.place.zone.ownerName)
    key.append(text: mail.participant)
    return key
  }

  static func add(_ mail: QueuedMail, in transaction: any StorageWriting) throws {
    try transaction.set(mail.bytes, for: key(mail))
  }

  static func remove(_ mail: QueuedMail, in transaction: any StorageWriting) throws {
    try transaction.remove(key(mail))
  }

  /// The mail that is due first; nil if no mail is due.
  static func next(dueAt now: Timestamp, in transaction: any StorageReading) throws -> QueuedMail? {
    guard
      let entry = try transaction.entries(in: StorageRange(prefix: prefix), limit: 1).first
    else { return nil }
    let mail = try QueuedMail(bytes: entry.value)
    return mail.due <= now ? mail : nil
  }

  // MARK: Limits

  /// The number of invitations that are sent for a user in a day.
  ///
  /// Further ones are sent on the following days.
  static let perDay: UInt64 = 100

  /// Counts an invitation, and returns the time from which it may be sent.
  ///
  /// The stored day is the last day for which an invitation was scheduled. The stored count is the
  /// number of invitations on that day.
  static func count(
    by user: String, in realm: Realm, at now: Timestamp, _ transaction: any StorageWriting
  ) throws -> Timestamp {
    let key = DatabaseKeys(realm: realm, owner: user).key(.mailCount)
    let today = now.milliseconds / 86_400_000
    var (day, count): (Int64, UInt64) = (today, 0)
    if let bytes = try transaction.value(of: key) {
      var form = BinaryReader(bytes)
      if try form.byte() == 1 {
        let (lastDay, lastCount) = (try form.signed(), try form.number())
        // If the last day is full, the next one has room.
        let openDay = lastDay + Int64(lastCount / perDay)
        if openDay >= today { (day, count) = (openDay, lastCount % perDay) }
      }
    }
    var form = BinaryWriter(capacity: 24)
    form.byte(1)
    form.signed(day)
    form.number(count + 1)
    try transaction.set(form.bytes, for: key)
    return now.adding(seconds: (day - today) * 86_400)
  }
}

// MARK: - Stored encoding

extension QueuedMail {
  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 160)
    form.byte(1)
    form.text(place.zone.ownerName)
    form.text(place.zone.zoneName)
    form.number(place.zoneNumber)
    form.text(place.shareName)
    form.number(realm.number)
    form.text(participant)
    form.signed(start.milliseconds)
    form.number(attempts)
    form.signed(due.milliseconds)
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == 1 else { throw form.error("an unknown form of mail") }
    let owner = try form.text()
    let zone = RecordZoneIdentifier(zoneName: try form.text(), ownerName: owner)
    place = SharePlace(zone: zone, zoneNumber: try form.number(), shareName: try form.text())
    realm = Realm(number: try form.number())
    participant = try form.text()
    start = Timestamp(milliseconds: try form.signed())
    attempts = try form.number()
    due = Timestamp(milliseconds: try form.signed())
  }
}
