/// A number of which only the document says what it is.
public enum JSONNumber: Hashable, Sendable {
  /// Written without fraction and exponent.
  case integer(Int64)
  /// Written with one of them.
  case double(Double)
}
