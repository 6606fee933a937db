import PredicateLanguage

/// One side of a comparison, before the type of the other side is known.
enum Side {
  case value(SQLValue)
  case constant(Constant)
  case collection(Collection)
  case list([Operand])
  case range(Constant, Constant, includesUpper: Bool)

  var isNull: Bool {
    if case .constant(let constant) = self { return constant.kind == .null }
    return false
  }

  var kind: ValueKind? {
    if case .value(let value) = self { return value.kind }
    return nil
  }

  /// The list of constants, if it is one.
  var list: (Constant, ListShape)? {
    if case .constant(let constant) = self, case .list(let shape) = constant.kind {
      return (constant, shape)
    }
    return nil
  }
}

extension QueryWriter {
  /// The side for an operand.
  func side(_ operand: Operand, _ context: RowContext) throws(TranslationError) -> Side {
    switch operand {
    case .constant(let constant): return .constant(constant)
    case .literal(let number): return .value(SQLValue(text: "\(number)", kind: .integer(64)))
    case .list(let operands): return .list(operands)
    case .range(let lower, let upper, let includesUpper):
      return .range(lower, upper, includesUpper: includesUpper)
    case .row(let root):
      if let value = fetchedExpression(root, context) { return .value(value) }
      return .value(keyValue(of: try source(of: root, context)))
    case .path(let root, let path): return try side(root, path, context)
    case .subquery(let subquery): return .collection(try collection(subquery, context))
    case .subqueryPath(let subquery, let path):
      // Over a missing row, a subquery is empty, and its operators have values.
      var collection = try collection(subquery, context.optional)
      collection.rest += path.components
      return try side(of: collection, context)
    case .function(let function, let arguments): return try side(function, arguments, context)
    case .cast(let operand, let type): return .value(try cast(operand, to: type, context))
    case .conditional(let condition, let first, let second):
      return .value(try conditional(condition, first, second, context))
    }
  }

  /// The value of `$name` in the conditions of a fetch of dictionaries: a fetched expression.
  private func fetchedExpression(_ root: PathRoot, _ context: RowContext) -> SQLValue? {
    guard case .variable(let name) = root, context.variables[name] == nil else { return nil }
    return context.group?.expressions[name]
  }

  private func side(_ root: PathRoot, _ path: PropertyPath, _ context: RowContext)
    throws(TranslationError) -> Side
  {
    if root == .object, let value = context.group?.expressions[path.text] { return .value(value) }
    if let value = try groupValue(root, path, context) { return .value(value) }
    // A collection operator also has a value if the path reaches no row.
    let context = path.components.contains { $0.hasPrefix("@") } ? context.optional : context
    let source = try source(of: root, context)
    switch try target(of: path.components[...], from: source, as: path.text, context) {
    case .value(let value): return .value(value)
    case .collection(let collection): return try side(of: collection, context)
    }
  }

  /// A collection, or the value of a collection operator.
  private func side(of collection: Collection, _ context: RowContext) throws(TranslationError)
    -> Side
  {
    guard let place = collection.rest.firstIndex(where: { $0.hasPrefix("@") }) else {
      return .collection(collection)
    }
    return .value(try aggregate(collection, at: place, context))
  }

  /// The collection that a subquery iterates over, with the subquery's condition.
  func collection(_ subquery: Subquery, _ context: RowContext) throws(TranslationError)
    -> Collection
  {
    guard case .collection(var collection) = try side(subquery.collection, context) else {
      throw .unsupported(
        "Problem with subquery collection expression: it is no to-many key path",
        "Name a to-many relationship as the first argument of SUBQUERY.")
    }
    collection.filters.append((subquery.variable, subquery.condition))
    return collection
  }

  // MARK: Values

  /// The value of an operand on its own; a constant is bound in the encoding of its own kind.
  func value(_ operand: Operand, _ context: RowContext) throws(TranslationError) -> SQLValue {
    try value(try side(operand, context))
  }

  /// The value of a side, whatever the other side is.
  func value(_ side: Side, as form: BindingEncoding = .own) throws(TranslationError) -> SQLValue {
    switch side {
    case .value(let value): return value
    case .constant(let constant): return try value(of: constant, as: form)
    case .collection(let collection): throw .toMany(collection.path)
    case .list, .range:
      throw .unsupported(
        "a collection where a value is wanted", "Use IN or BETWEEN for collections.")
    }
  }

  private func value(of constant: Constant, as form: BindingEncoding) throws(TranslationError)
    -> SQLValue
  {
    switch constant.kind {
    case .null: return SQLValue(text: "NULL", kind: .unknown)
    case .list:
      throw .unsupported(
        "a collection where a value is wanted", "Use IN or BETWEEN for collections.")
    case .other(let type):
      throw .unsupported(
        "a value of type \(type)", "Compare with values of the types that attributes have.")
    default:
      return SQLValue(text: SQLText(.constant(constant.index, form)), kind: constant.kind.valueKind)
    }
  }
}

extension ConstantKind {
  fileprivate var valueKind: ValueKind {
    switch self {
    case .integer: .integer(64)
    case .real: .double
    case .decimal: .decimal
    case .text: .text
    case .url: .url
    case .date: .date
    case .uuid: .uuid
    default: .unknown
    }
  }
}
