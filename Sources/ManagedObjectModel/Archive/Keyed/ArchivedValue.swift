import PropertyLists

/// The value of a key of an archived object.
enum ArchivedValue {
  /// No value: the key is missing, or refers to `$null`.
  case none
  /// A boolean, a number, a string, data or a date.
  case scalar(PropertyList)
  case object(ArchivedObject)

  /// The kind of the value, for messages.
  var kind: String {
    switch self {
    case .none: "nothing"
    case .scalar(let value): value.kind
    case .object(let object): object.className
    }
  }
}
