/// How many arguments a registered function takes.
package enum FunctionArity: Hashable, Sendable {
  /// This many. The same name may be registered for several numbers.
  case exactly(Int)
  /// Any number.
  case any

  /// SQLite's form.
  ///
  /// A number beyond its limit stays out of range, so that SQLite refuses it.
  var argumentCount: Int32 {
    switch self {
    case .exactly(let count): count < 0 ? .max : Int32(clamping: count)
    case .any: -1
    }
  }
}
