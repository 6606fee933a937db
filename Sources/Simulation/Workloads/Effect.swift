/// An effect of a save that the checks rely on.
enum Effect: Sendable {
  case inserted(key: String)
  case deleted(key: String)
  /// A place got a value, replacing the device's previous one, which is nil for a new object.
  case wrote(Place, text: String, over: String?)
  /// An ordered relationship got an order, replacing the device's previous one.
  case arranged(Place, members: [String], over: [String])

  /// A property of an object got a value.
  static func wrote(key: String, property: String, text: String, over former: String?) -> Self {
    .wrote(Place(key: key, property: property), text: text, over: former)
  }
}

/// A place for values: a property of an object, or the membership of an object in a relationship.
struct Place: Sendable, Hashable, Comparable, CustomStringConvertible {
  let key: String
  let property: String
  /// The other object, for a many-to-many relationship.
  var member: String?

  /// The values of a membership: present and absent.
  static let (there, gone) = ("there", "gone")

  static func < (one: Self, other: Self) -> Bool {
    (one.key, one.property, one.member ?? "") < (other.key, other.property, other.member ?? "")
  }

  var description: String { "\(key).\(property)" + (member.map { "[\($0)]" } ?? "") }
}
