/// The number of arguments of a registered function.
package enum FunctionArity: Hashable, Sendable {
  /// This number of arguments.
  ///
  /// The same name may be registered for several numbers.
  case exactly(Int)
  /// Any number of arguments.
  case any

  /// SQLite's form.
  ///
  /// A number beyond its limit stays out of range, so that SQLite rejects it.
  var argumentCount: Int32 {
    switch self {
    case .exactly(let count): count < 0 ? .max : Int32(clamping: count)
    case .any: -1
    }
  }
}
