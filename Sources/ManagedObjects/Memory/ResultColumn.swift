import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

private typealias NSExpression = PredicateLanguage.NSExpression

/// A column of a dictionary fetch.
struct ResultColumn {
  let name: String
  let expression: PredicateLanguage.NSExpression
  /// The type that the request specifies for a computed value.
  let type: NSAttributeType

  private init(
    name: String, expression: PredicateLanguage.NSExpression,
    type: NSAttributeType = .undefinedAttributeType
  ) {
    self.name = name
    self.expression = expression
    self.type = type
  }

  /// The columns that a request specifies: every attribute, if it lists no properties.
  static func columns(of query: MemoryQuery) throws(StoreError) -> [ResultColumn] {
    guard let properties = query.fetch.specification.propertiesToFetch, !properties.isEmpty else {
      return query.fetch.layout.properties.filter {
        $0 is NSAttributeDescription && !$0.isTransient
      }.map {
        ResultColumn(name: $0.name, expression: NSExpression(forKeyPath: $0.name))
      }
    }
    return try properties.map { property throws(StoreError) in try column(property) }
  }

  /// The path of a property to group by.
  static func path(_ property: Any) -> PropertyPath? {
    switch property {
    case let name as String: PropertyPath(name)
    case let described as NSExpressionDescription:
      if case .keyPath(let path)? = described.expression?.node { path } else { nil }
    case let described as NSPropertyDescription: PropertyPath(described.name)
    default: nil
    }
  }

  private static func column(_ property: Any) throws(StoreError) -> ResultColumn {
    switch property {
    case let name as String:
      return ResultColumn(name: name, expression: NSExpression(forKeyPath: name))
    case let described as NSExpressionDescription:
      // As in Core Data, a column without an expression has no value and no dictionary entry.
      let expression = described.expression ?? NSExpression(forConstantValue: nil)
      return ResultColumn(
        name: described.name, expression: expression, type: described.expressionResultType)
    case let described as NSPropertyDescription:
      return ResultColumn(
        name: described.name, expression: NSExpression(forKeyPath: described.name))
    default: break
    }
    throw StoreError(
      .unsupportedFetch,
      "Invalid keypath expression (\(property)) passed to setPropertiesToFetch:. Give names, properties, or expression descriptions with an expression."
    )
  }

  func value(of group: RowGroup) throws -> Any? {
    guard let value = try group.value(of: expression), !(value is NSNull) else { return nil }
    guard let number = Number(value), !(value is Date) else { return value }
    return typed(number) ?? value
  }

  private func typed(_ number: Number) -> Any? {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      NSNumber(value: number.integer ?? (number.double > 0 ? .max : number.double < 0 ? .min : 0))
    case .doubleAttributeType: NSNumber(value: number.double)
    case .floatAttributeType: NSNumber(value: Float(number.double))
    case .booleanAttributeType: NSNumber(value: number.double != 0)
    case .decimalAttributeType: number.decimal.map { NSDecimalNumber(decimal: $0) }
    case .dateAttributeType: Date(timeIntervalSinceReferenceDate: number.double)
    default: boxed(number)
    }
  }

  private func boxed(_ number: Number) -> Any? {
    switch number.boxed {
    case let integer as Int: NSNumber(value: integer)
    case let double as Double: NSNumber(value: double)
    case let decimal as Decimal: NSDecimalNumber(decimal: decimal)
    default: nil
    }
  }
}

extension MemoryQuery {
  /// The value as applications receive it: object identifiers for rows.
  func published(_ value: Any) -> Any {
    switch value {
    case let view as RowView:
      NSManagedObjectID(layout: view.stored.layout, key: view.key, storeIdentity: identity)
    case let values as [Any]: values.map(published)
    default: value
    }
  }
}
