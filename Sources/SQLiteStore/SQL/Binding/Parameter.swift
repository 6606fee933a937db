/// The value of a statement's parameter.
enum Parameter: Hashable, Sendable {
  /// A constant of the fetch, by its index.
  case constant(Int, BindingEncoding)
  /// An element of a list constant, or its last element if the list is shorter.
  case element(of: Int, at: Int, BindingEncoding)
  /// All texts and integers of a list constant, as JSON.
  case texts(of: Int, BindingEncoding)
  case limit
  case offset
}

/// The content of a statement's integer array: the elements of a list constant.
struct ArrayParameter: Hashable, Sendable {
  let constant: Int
  let form: BindingEncoding
}
