/// A number whose type depends on its text in the document.
public enum JSONNumber: Hashable, Sendable {
  /// A number without a fraction or an exponent.
  case integer(Int64)
  /// A number with a fraction or an exponent.
  case double(Double)
}
