import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

extension ShapeReader {
  /// The shape of a fetch.
  mutating func shape(of fetch: RowFetch, giving result: FetchResult) throws(TranslationError)
    -> FetchShape
  {
    if !result.isOfDictionaries, let groups = fetch.specification.propertiesToGroupBy,
      !groups.isEmpty
    {
      throw TranslationError(
        "Invalid fetch request: GROUP BY requires NSDictionaryResultType",
        "Set resultType to dictionaryResultType, or propertiesToGroupBy to nil.")
    }
    var condition = Condition.constant(true)
    if let predicate = fetch.specification.predicate { condition = try self.condition(predicate) }
    return FetchShape(
      result: result, layoutIndex: fetch.layout.index,
      includesSubentities: fetch.specification.includesSubentities,
      condition: condition,
      order: result.isCount ? [] : try order(fetch.specification.sortDescriptors),
      hasLimit: fetch.specification.fetchLimit > 0, hasOffset: fetch.specification.fetchOffset > 0)
  }

  // MARK: Order

  /// The shape of an order.
  func order(_ descriptors: [NSSortDescriptor]?) throws(TranslationError) -> [SortShape] {
    guard let descriptors else { return [] }
    var order: [SortShape] = []
    for descriptor in descriptors { order.append(try sort(descriptor)) }
    return order
  }

  private func sort(_ descriptor: NSSortDescriptor) throws(TranslationError) -> SortShape {
    guard let descriptor = descriptor as? PropertySortDescriptor else {
      throw unsupported(descriptor)
    }
    switch descriptor.rule {
    case .natural:
      return SortShape(path: descriptor.path, isAscending: descriptor.ascending, collation: nil)
    case .text(let rule):
      return SortShape(path: descriptor.path, isAscending: descriptor.ascending, collation: rule)
    case .method, .comparator: throw unsupported(descriptor)
    }
  }

  private func unsupported(_ descriptor: NSSortDescriptor) -> TranslationError {
    TranslationError(
      "unsupported NSSortDescriptor \(descriptor)",
      "A store sorts by compare: and by NSString's comparisons (caseInsensitiveCompare:, localizedCompare:, "
        + "localizedCaseInsensitiveCompare:, localizedStandardCompare:) of properties; sort the fetched objects instead."
    )
  }

  // MARK: Dictionaries

  /// The shape of the columns of a fetch of dictionaries.
  mutating func dictionaries(of fetch: RowFetch) throws(TranslationError) -> DictionaryShape {
    let specification = fetch.specification
    var columns: [ColumnShape] = []
    let named = specification.propertiesToFetch ?? []
    for property in named.isEmpty ? Self.allAttributes(of: fetch.layout) : named {
      columns.append(try column(property, of: fetch.layout))
    }
    var groups: [String] = []
    for property in specification.propertiesToGroupBy ?? [] {
      groups.append(try name(of: property))
    }
    var having = Condition.constant(true)
    if let predicate = specification.havingPredicate { having = try condition(predicate) }
    return DictionaryShape(
      columns: columns, groups: groups, having: having,
      isDistinct: specification.returnsDistinctResults)
  }

  /// All stored attributes.
  private static func allAttributes(of layout: RowLayout) -> [Any] {
    layout.properties.filter { $0 is NSAttributeDescription && !$0.isTransient }
  }

  private mutating func column(_ property: Any, of layout: RowLayout) throws(TranslationError)
    -> ColumnShape
  {
    if let computed = property as? NSExpressionDescription {
      // As in Core Data, a description without an expression has no value, and the dictionaries
      // have no entry for it.
      let expression = computed.expression ?? PredicateLanguage.NSExpression(forConstantValue: nil)
      let type = computed.expression == nil ? 0 : computed.expressionResultType.rawValue
      return ColumnShape(
        name: computed.name, content: .expression(try operand(expression)), type: type)
    }
    let name = try name(of: property)
    return ColumnShape(name: name, content: .property(PropertyPath(name)), type: 0)
  }

  private func name(of property: Any) throws(TranslationError) -> String {
    if let property = property as? NSPropertyDescription { return property.name }
    if let name = asString(property) { return name }
    throw TranslationError(
      "Invalid property \(property) passed to propertiesToFetch or propertiesToGroupBy",
      "Give names or descriptions of properties.")
  }
}
