/// The values for a format string's placeholders, as the caller passed them.
enum FormatArguments {
  /// The values of an argument array.
  case values([Any?])
  /// The values of a variadic call, which are not copied into an array of another type.
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
