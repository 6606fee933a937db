/// What a save did, as far as checkers hold the world to it.
enum Effect: Sendable {
  case inserted(key: String)
  case deleted(key: String)
  /// A property was set, by its text, over what the device had there; nil for a new object.
  case wrote(key: String, property: String, text: String, over: String?)
}
