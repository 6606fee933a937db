import ObjectRows
import PredicateLanguage
import SQLiteDriver
import TextMatching

extension QueryWriter {
  /// IN, and CONTAINS with its sides exchanged: an element in a collection, or a text in another.
  func containment(
    of element: Side, in whole: Side, _ options: ComparisonPredicate.Options, _ context: RowContext
  ) throws(TranslationError) -> SQLText {
    switch whole {
    case .collection(let collection):
      return try containment(of: element, in: collection, options, context)
    case .list(let operands): return try containment(of: element, in: operands, options, context)
    case .range(let lower, let upper, let includesUpper):
      return try containment(
        of: element, .constant(lower), .constant(upper), includesUpper: includesUpper, options)
    case .constant, .value:
      if element.isNull || whole.isNull { return "0" }
      if let (constant, shape) = whole.list {
        return try containment(of: element, in: constant, shape, options)
      }
      return try search(for: element, in: whole, .contains, options)
    }
  }

  // MARK: Constant lists

  private func containment(
    of element: Side, in list: Constant, _ shape: ListShape, _ options: ComparisonPredicate.Options
  ) throws(TranslationError) -> SQLText {
    var value = try value(element)
    var form = value.kind.storageForm
    let plain = value.text
    if options.foldsText, value.kind.isText {
      value.text = "ParhelionFold(\(plain), \(options.rawValue))"
      form = .folded(options.text)
    }
    let contained: SQLText = "\(value.text) IN \(elements(of: list, shape, form))"
    return shape.hasNull ? "(\(contained) OR \(plain) IS NULL)" : contained
  }

  private func elements(of list: Constant, _ shape: ListShape, _ form: BindingEncoding) -> SQLText {
    switch shape.form {
    case .integers where arrays.count < SQLiteDriver.Limits.integerArrays:
      return array(for: list, as: form)
    case .integers, .texts:
      return "(SELECT value FROM json_each(\(SQLText(.texts(of: list.index, form)))))"
    case .parameters(let count):
      let parameters = (0..<count).map { SQLText(.element(of: list.index, at: $0, form)) }
      return "(\(parameters.joined(by: ", ")))"
    }
  }

  // MARK: Other collections

  private func containment(
    of element: Side, in operands: [Operand], _ options: ComparisonPredicate.Options,
    _ context: RowContext
  ) throws(TranslationError) -> SQLText {
    var parts: [SQLText] = []
    for operand in operands {
      parts.append(
        try text(element, .equalTo, try side(operand, context.optional), options, context.optional))
    }
    return parts.isEmpty ? "0" : parts.connected(by: "OR")
  }

  /// Whether a collection of rows, or of their values, contains an element.
  private func containment(
    of element: Side, in collection: Collection, _ options: ComparisonPredicate.Options,
    _ context: RowContext
  ) throws(TranslationError) -> SQLText {
    if case .collection(let other) = element { throw .severalToMany(other.path) }
    if element.list == nil, let owners = try ownership(of: element, in: collection, context) {
      return owners
    }
    var (rows, inner) = try rows(of: collection, context)
    if element.isNull || !options.isEmpty { inner = inner.optional }
    let member = Side.value(try elementValue(of: collection, rows, inner))
    rows.conditions.append(try text(member, .equalTo, element, options, inner))
    return rows.existence
  }

  /// The owners of constant objects, instead of a test of every row; nil if that would not be
  /// equivalent.
  func ownership(
    of elements: Side, in collection: Collection, _ context: RowContext
  ) throws(TranslationError) -> SQLText? {
    guard case .constant(let constant) = elements, collection.rest.isEmpty,
      collection.filters.isEmpty,
      collection.owner.isCertain || !context.isNegated,
      let entity = try entity(of: collection.relationship)
    else { return nil }
    let form = BindingEncoding.key(root: entity.layout.rootIndex)
    switch constant.kind {
    case .object:
      return try ownership(
        of: "= \(SQLText(.constant(constant.index, form)))", in: collection, entity)
    case .list(let shape):
      let list = self.elements(of: constant, shape, form)
      return try ownership(of: "IN \(list)", in: collection, entity)
    default: return nil
    }
  }
}
