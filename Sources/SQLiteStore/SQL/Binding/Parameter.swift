/// What is bound to a parameter of a statement.
enum Parameter: Hashable, Sendable {
  /// A constant of the fetch, by its place.
  case constant(Int, BindingEncoding)
  /// An element of a constant list; the last one where the list is shorter.
  case element(of: Int, at: Int, BindingEncoding)
  /// All texts of a constant list, as JSON.
  case texts(of: Int, BindingEncoding)
  case limit
  case offset
}

/// What an integer array of a statement holds: the elements of a constant list.
struct ArrayParameter: Hashable, Sendable {
  let constant: Int
  let form: BindingEncoding
}
