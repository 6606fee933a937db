/// The values for a format string's placeholders, as they were given.
enum FormatArguments {
  /// Those of an array.
  case values([Any?])
  /// Those of a call in the manner of C, which are not copied into an array of another type.
  case variadic([any CVarArg])

  var count: Int {
    switch self {
    case .values(let values): values.count
    case .variadic(let values): values.count
    }
  }

  subscript(number: Int) -> Any? {
    switch self {
    case .values(let values): values[number]
    case .variadic(let values): values[number]
    }
  }
}
