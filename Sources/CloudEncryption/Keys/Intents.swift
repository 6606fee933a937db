import BinaryCoding
import CloudRecords

/// The people to whom the owner of a zone or share wants to give its keys.
///
/// A device records an intent when the program invites or removes a person. The server's list of
/// participants is no intent: the server could invent people.
struct Intents: Hashable, Sendable {
  fileprivate struct Intent: Hashable, Sendable {
    var isWanted: Bool
    /// Whether the person may write; nil for the permission of everyone with the link.
    var mayWrite: Bool?
    /// Whether the person may change the keys; nil if no device of the user has decided.
    var isAdministrator: Bool?
    /// Whether an administrator, not the user, removed the person.
    var isRemovedByAdministrator = false
    var time: Timestamp
  }

  private var people: [String: Intent] = [:]
  /// The decision about everyone with the link, who is wanted if the link gives a permission.
  private var everyone: Intent?

  /// Whether the person is invited; nil if no device of the user has decided.
  func isWanted(_ user: String) -> Bool? { people[user]?.isWanted }

  /// Whether an administrator may invite the person: false if the user removed the person.
  func allowsInvitation(of user: String) -> Bool {
    people[user].map { $0.isWanted || $0.isRemovedByAdministrator } ?? true
  }

  /// The people about whom no device of the user has decided.
  func undecided(among users: Set<String>) -> Set<String> { users.filter { people[$0] == nil } }

  /// The invited people.
  var wanted: [String] { people.filter(\.value.isWanted).map(\.key) }

  /// Whether a person may write; nil if no device of the user has decided.
  func mayWrite(_ user: String) -> Bool? {
    guard let intent = people[user] else { return nil }
    // If neither the person nor the link has a permission, only the server restricts writing.
    return intent.isWanted && (intent.mayWrite ?? everyone?.mayWrite ?? true)
  }

  /// Whether a person may change the keys; nil if no device of the user has decided.
  func isAdministrator(_ user: String) -> Bool? {
    guard let intent = people[user] else { return nil }
    return intent.isWanted ? intent.isAdministrator : false
  }

  /// The time of the last decision; nil if there is none.
  var lastTime: Timestamp? {
    (people.values.map(\.time) + [everyone].compactMap { $0?.time }).max()
  }

  /// Records the user's decisions.
  ///
  /// - Parameter ring: The present ring, which has the permissions of people about whom this device
  ///   has not decided.
  mutating func apply(
    _ decisions: ShareDecisions, except owner: String, in ring: KeyRing?, at now: Timestamp
  ) {
    for user in decisions.users.subtracting([owner]).sorted() {
      set(
        user, isWanted: !decisions.removed.contains(user),
        mayWrite: decisions.people[user].flatMap(\.mayWrite),
        isByAdministrator: decisions.areByAdministrator, at: now)
    }
    for (user, isAdministrator) in decisions.roles where user != owner {
      setRole(of: user, isAdministrator: isAdministrator, in: ring, at: now)
    }
    if let everyone = decisions.everyone { setEveryone(mayWrite: everyone.mayWrite, at: now) }
  }

  /// Records a decision about a person.
  private mutating func set(
    _ user: String, isWanted: Bool, mayWrite: Bool?, isByAdministrator: Bool, at time: Timestamp
  ) {
    // The user's decision also replaces an administrator's removal.
    let isConfirmed = people[user]?.isRemovedByAdministrator == true && !isByAdministrator
    guard
      people[user]?.isWanted != isWanted || isConfirmed
        || mayWrite != nil && people[user]?.mayWrite != mayWrite
    else { return }
    // A person who was removed does not come back as an administrator.
    let former = people[user].flatMap { $0.isWanted && isWanted ? $0 : nil }
    people[user] = Intent(
      isWanted: isWanted, mayWrite: mayWrite, isAdministrator: former?.isAdministrator,
      isRemovedByAdministrator: isByAdministrator && !isWanted,
      time: Self.time(after: people[user], time))
  }

  /// Records the user's decision about a person's role.
  private mutating func setRole(
    of user: String, isAdministrator: Bool, in ring: KeyRing?, at time: Timestamp
  ) {
    let former = people[user]
    let isRecipient = ring?.recipients.contains { $0.userRecordName == user } ?? false
    guard former != nil || isAdministrator || isRecipient,
      former?.isAdministrator != isAdministrator
    else { return }
    var intent =
      former
      ?? Intent(
        isWanted: true, mayWrite: ring?.writers.readers.contains(user) != true, time: time)
    intent.isAdministrator = isAdministrator
    intent.time = Self.time(after: former, time)
    people[user] = intent
  }

  /// Records the permission of everyone with the link; nil for none.
  private mutating func setEveryone(mayWrite: Bool?, at time: Timestamp) {
    guard everyone?.mayWrite != mayWrite else { return }
    everyone = Intent(
      isWanted: mayWrite != nil, mayWrite: mayWrite, time: Self.time(after: everyone, time))
  }

  /// The time of a new decision, which is later than the former one even if the clock was set back.
  private static func time(after former: Intent?, _ now: Timestamp) -> Timestamp {
    former.map { Timestamp(milliseconds: max(now.milliseconds, $0.time.milliseconds + 1)) } ?? now
  }

  /// Merges the decisions of another device; the last decision about each person wins.
  mutating func merge(_ other: Intents) {
    people.merge(other.people) { $0.merging($1) }
    everyone = everyone.map { one in other.everyone.map(one.merging) ?? one } ?? other.everyone
  }

  // MARK: Bytes

  func write(to form: inout BinaryWriter) {
    form.count(people.count)
    for (user, intent) in people.sorted(by: { $0.key < $1.key }) {
      form.text(user)
      intent.write(to: &form)
    }
    form.optional(everyone) { $1.write(to: &$0) }
  }

  init() {}

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    for _ in 0..<(try form.count()) {
      let user = try form.text()
      people[user] = try Intent(from: &form)
    }
    everyone = try form.optional { (form) throws(BinaryCodingError) in try Intent(from: &form) }
  }
}

extension Intents.Intent {
  /// The later decision; of two at the same time, the one that gives less.
  fileprivate func merging(_ other: Self) -> Self {
    guard time == other.time else { return time < other.time ? other : self }
    if isWanted != other.isWanted { return isWanted ? other : self }
    var merged = mayWrite == false ? self : other
    let roles = [isAdministrator, other.isAdministrator]
    merged.isAdministrator = roles.contains(false) ? false : roles.contains(nil) ? nil : true
    merged.isRemovedByAdministrator = isRemovedByAdministrator && other.isRemovedByAdministrator
    return merged
  }

  fileprivate func write(to form: inout BinaryWriter) {
    form.byte(isWanted ? 1 : 0)
    form.optional(mayWrite) { $0.byte($1 ? 1 : 0) }
    form.optional(isAdministrator) { $0.byte($1 ? 1 : 0) }
    form.byte(isRemovedByAdministrator ? 1 : 0)
    form.signed(time.milliseconds)
  }

  fileprivate init(from form: inout BinaryReader) throws(BinaryCodingError) {
    self.init(
      isWanted: try form.byte() != 0,
      mayWrite: try form.optional { (form) throws(BinaryCodingError) in try form.byte() != 0 },
      isAdministrator: try form.optional { (form) throws(BinaryCodingError) in
        try form.byte() != 0
      },
      isRemovedByAdministrator: try form.byte() != 0,
      time: Timestamp(milliseconds: try form.signed()))
  }
}
