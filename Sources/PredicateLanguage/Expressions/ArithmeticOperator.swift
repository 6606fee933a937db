/// The functions that are written as signs between their arguments.
enum ArithmeticOperator: String {
  case add = "add:to:"
  case subtract = "from:subtract:"
  case multiply = "multiply:by:"
  case divide = "divide:by:"
  case power = "raise:toPower:"

  /// The sign in a format string.
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

/// What stands in brackets after a collection in the place of a number: a function without
/// arguments in the tree.
enum SymbolicIndex: String {
  case first, last, size
}
