import BinaryCoding
import CloudRecords

/// The people to whom the owner of a zone or share wants to give its keys.
///
/// A device records an intent when the program invites or removes a person. The server's list of
/// participants is no intent: the server could invent people.
struct Intents: Hashable, Sendable {
  private struct Intent: Hashable, Sendable {
    var isWanted: Bool
    var time: Timestamp
  }

  private var people: [String: Intent] = [:]

  /// Whether the person is invited; nil if no device of the user has decided.
  func isWanted(_ user: String) -> Bool? { people[user]?.isWanted }

  /// The invited people.
  var wanted: [String] { people.filter(\.value.isWanted).map(\.key) }

  /// Records what the user decided.
  mutating func set(_ user: String, isWanted: Bool, at time: Timestamp) {
    guard people[user]?.isWanted != isWanted else { return }
    // A clock that went back must not make the decision weaker than the former one.
    let former = people[user]?.time.milliseconds ?? .min
    let next = max(time.milliseconds, former == .min ? .min : former + 1)
    people[user] = Intent(isWanted: isWanted, time: Timestamp(milliseconds: next))
  }

  /// Adds what the user decided on another device; the last decision about each person wins.
  mutating func merge(_ other: Intents) {
    people.merge(other.people) { one, other in
      guard one.time == other.time else { return one.time < other.time ? other : one }
      return one.isWanted ? other : one
    }
  }

  // MARK: Bytes

  func write(to form: inout BinaryWriter) {
    form.count(people.count)
    for (user, intent) in people.sorted(by: { $0.key < $1.key }) {
      form.text(user)
      form.byte(intent.isWanted ? 1 : 0)
      form.signed(intent.time.milliseconds)
    }
  }

  init() {}

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    for _ in 0..<(try form.count()) {
      let user = try form.text()
      people[user] = Intent(
        isWanted: try form.byte() != 0, time: Timestamp(milliseconds: try form.signed()))
    }
  }
}
