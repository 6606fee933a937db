import BinaryCoding
import CloudRecords
import Cryptography

/// The state that the user's devices share: trusted people, invitations, links, the policy of key
/// delivery, and marks of rings.
///
/// It travels in the private key bag, sealed under a key that only the user's devices derive. Each
/// device adds what it knows and removes nothing, so the order of exchanges does not matter.
struct DeviceState: Hashable, Sendable {
  var people: [String: KnownPerson] = [:]
  var marks: [KeyScope: RingMarks] = [:]
  var intents: [KeyScope: Intents] = [:]
  var links: [KeyScope: LinkSecrets] = [:]
  var policy = ChosenPolicy()

  mutating func merge(_ other: DeviceState) {
    people.merge(other.people) { $0.merging($1) }
    marks.merge(other.marks) { one, other in
      var merged = one
      merged.merge(other)
      return merged
    }
    intents.merge(other.intents) { one, other in
      var merged = one
      merged.merge(other)
      return merged
    }
    links.merge(other.links) { one, other in
      var merged = one
      merged.merge(other)
      return merged
    }
    policy.merge(other.policy)
  }

  /// Trusts, for each person, the first keys that one of the user's devices sees.
  mutating func pin(_ identities: [PublicIdentity], at moment: KnownPerson.Moment) {
    for identity in identities where people[identity.userRecordName] == nil {
      people[identity.userRecordName] = KnownPerson(identity, pinned: moment)
    }
  }

  /// The confirmed keys if the policy requires a confirmation, else nil.
  var requiredIdentities: Set<PublicIdentity>? {
    guard policy.policy == .verifiedOnly else { return nil }
    return Set(people.values.filter { $0.verified != nil }.map(\.identity))
  }
}

// MARK: - Size

extension DeviceState {
  /// Returns the state, without its least important parts if it exceeds a number of bytes.
  ///
  /// Zones and shares whose rings have ended are left out first, then those whose last decision is
  /// oldest, then people whose keys are not verified. The device itself keeps the omitted parts.
  func fitting(_ limit: Int) -> DeviceState {
    var (state, excess) = (self, byteCount - limit)
    guard excess > 0 else { return self }
    let empty = DeviceState().byteCount
    let scopes = Set(marks.keys).union(intents.keys).union(links.keys)
    let ranked = scopes.map { (rank: rank(of: $0), scope: $0) }.sorted {
      ($0.rank, $0.scope) < ($1.rank, $1.scope)
    }
    for (_, scope) in ranked where excess > 0 {
      excess -= part(of: scope).byteCount - empty
      (state.marks[scope], state.intents[scope], state.links[scope]) = (nil, nil, nil)
    }
    let unverified = people.filter { $0.value.verified == nil }.sorted {
      ($0.value.pinned.time, $0.key) < ($1.value.pinned.time, $1.key)
    }
    for (name, person) in unverified where excess > 0 {
      excess -= DeviceState(people: [name: person]).byteCount - empty
      state.people[name] = nil
    }
    return state
  }

  /// The order in which scopes are left out, lowest first.
  private func rank(of scope: KeyScope) -> Int64 {
    if let marks = marks[scope], marks.haveEnded { return .min }
    let times = [intents[scope]?.lastTime, links[scope]?.lastTime].compactMap(\.self)
    return times.max()?.milliseconds ?? .max
  }

  private func part(of scope: KeyScope) -> DeviceState {
    DeviceState(
      marks: marks[scope].map { [scope: $0] } ?? [:],
      intents: intents[scope].map { [scope: $0] } ?? [:],
      links: links[scope].map { [scope: $0] } ?? [:])
  }

  private var byteCount: Int {
    var form = BinaryWriter()
    write(to: &form)
    return form.bytes.count
  }
}

// MARK: - Bytes

extension DeviceState {
  func write(to form: inout BinaryWriter) {
    form.count(people.count)
    for (_, person) in people.sorted(by: { $0.key < $1.key }) { form.person(person) }
    form.count(marks.count)
    for (scope, marks) in marks.sorted(by: { $0.key < $1.key }) {
      form.scope(scope)
      marks.write(to: &form)
    }
    form.count(intents.count)
    for (scope, intents) in intents.sorted(by: { $0.key < $1.key }) {
      form.scope(scope)
      intents.write(to: &form)
    }
    form.count(links.count)
    for (scope, links) in links.sorted(by: { $0.key < $1.key }) {
      form.scope(scope)
      links.write(to: &form)
    }
    policy.write(to: &form)
  }

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    for person in try form.list({ (form) throws(BinaryCodingError) in try form.person() }) {
      people[person.identity.userRecordName] = person
    }
    for _ in 0..<(try form.count()) {
      let scope = try form.scope()
      marks[scope] = try RingMarks(from: &form)
    }
    for _ in 0..<(try form.count()) {
      let scope = try form.scope()
      intents[scope] = try Intents(from: &form)
    }
    for _ in 0..<(try form.count()) {
      let scope = try form.scope()
      links[scope] = try LinkSecrets(from: &form)
    }
    policy = try ChosenPolicy(from: &form)
  }
}

/// A device state as it is sealed into the private key bag.
struct NumberedState: Hashable, Sendable {
  var state: DeviceState
  /// Counts the writes of all devices.
  ///
  /// A device that gets the keys from another one learns the number, so that the server cannot show
  /// it an earlier state.
  var number: Int64

  func sealed(for keys: UserKeys, account: EncryptionAccount, _ randomBytes: RandomBytes)
    -> [UInt8]
  {
    var form = BinaryWriter()
    form.signed(number)
    state.write(to: &form)
    let nonce = randomBytes(AuthenticatedEncryption.nonceByteCount)
    return nonce
      + AuthenticatedEncryption.seal(
        form.bytes, key: keys.stateKey, nonce: nonce, associated: Self.associated(account))
  }

  /// Opens a sealed state; nil if none of the user's devices has sealed it.
  init?(_ sealed: [UInt8], for keys: UserKeys, account: EncryptionAccount) {
    let nonce = Array(sealed.prefix(AuthenticatedEncryption.nonceByteCount))
    guard
      let opened = AuthenticatedEncryption.open(
        Array(sealed.dropFirst(nonce.count)), key: keys.stateKey, nonce: nonce,
        associated: Self.associated(account))
    else { return nil }
    do throws(BinaryCodingError) {
      var form = BinaryReader(opened)
      number = try form.signed()
      state = try DeviceState(from: &form)
      try form.requireEnd()
    } catch {
      return nil
    }
  }

  init(state: DeviceState = DeviceState(), number: Int64 = 0) {
    self.state = state
    self.number = number
  }

  private static func associated(_ account: EncryptionAccount) -> [UInt8] {
    var form = BinaryWriter(purpose: "parhelion.device-state.1")
    form.account(account)
    return form.bytes
  }
}

extension PrivateBag {
  /// The state that the user's devices share; nil if none of them has written it.
  func state(_ keys: UserKeys, _ account: EncryptionAccount) -> NumberedState? {
    NumberedState(sealedState, for: keys, account: account)
  }

  mutating func setState(
    _ state: NumberedState, _ keys: UserKeys, _ account: EncryptionAccount,
    _ randomBytes: RandomBytes
  ) {
    sealedState = state.sealed(for: keys, account: account, randomBytes)
  }
}
