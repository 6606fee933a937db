/// The functions that have an infix operator.
enum ArithmeticOperator: String {
  case add = "add:to:"
  case subtract = "from:subtract:"
  case multiply = "multiply:by:"
  case divide = "divide:by:"
  case power = "raise:toPower:"

  /// The operator in a format string.
  var sign: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .power: "**"
    }
  }
}

/// The index words in brackets after a collection, such as `[FIRST]`.
///
/// In an expression's tree they are functions without arguments.
enum SymbolicIndex: String {
  case first, last, size
}
