/// What a save did, as far as checkers hold the world to it.
enum Effect: Sendable {
  case inserted(key: String)
  case deleted(key: String)
  /// A place was given a text, over what the device had there; nil for a new object.
  case wrote(Place, text: String, over: String?)
  /// The members of an ordered relationship came into an order, over the one that the device had.
  case arranged(Place, members: [String], over: [String])

  /// A property of an object was given a text.
  static func wrote(key: String, property: String, text: String, over former: String?) -> Self {
    .wrote(Place(key: key, property: property), text: text, over: former)
  }
}

/// Where somebody writes: a property of an object, or whether another object is among those that a
/// property has.
struct Place: Sendable, Hashable, Comparable, CustomStringConvertible {
  let key: String
  let property: String
  /// The other object, where both sides of a relationship have many.
  var member: String?

  /// What a place says of a member that is there, and of one that is not.
  static let (there, gone) = ("there", "gone")

  static func < (one: Self, other: Self) -> Bool {
    (one.key, one.property, one.member ?? "") < (other.key, other.property, other.member ?? "")
  }

  var description: String { "\(key).\(property)" + (member.map { "[\($0)]" } ?? "") }
}
