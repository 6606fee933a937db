import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// The new values of a batch update: constants in a row, and expressions.
final class BatchUpdateValues {
  private let layout: RowLayout
  private let values: BatchValues
  private let page: RowPage
  /// A row with the constants.
  let constants: RowReference
  /// The attributes with constants.
  private(set) var ordinals = OrdinalSet()
  private(set) var expressions: [BatchUpdate.Assignment] = []

  var isEmpty: Bool { ordinals.isEmpty && expressions.isEmpty }

  init(_ properties: [AnyHashable: Any], _ layout: RowLayout) throws {
    self.layout = layout
    values = BatchValues(layout: layout)
    page = RowPage(layout: layout, capacity: 1)
    constants = page.appendRow(key: 0, version: 0)
    var named: [(name: String, value: Any)] = []
    for (key, value) in properties { named.append((try name(of: key), value)) }
    for (name, value) in named.sorted(by: { $0.name < $1.name }) {
      do {
        try add(name, value)
      } catch let refusal as BatchValues.Refusal {
        throw BatchError.value(refusal.key, layout, row: nil, refusal.reason)
      }
    }
  }

  private func name(of key: AnyHashable) throws -> String {
    if let name = asString(key.base) { return name }
    if let property = key.base as? NSPropertyDescription { return property.name }
    throw BatchError.value(
      "\(key.base)", layout, row: nil, "keys are names or descriptions of attributes.")
  }

  private func add(_ name: String, _ value: Any) throws {
    let path = name.split(separator: ".").map(String.init)
    guard let first = path.first, let ordinal = layout.ordinal(of: first) else {
      throw BatchValues.Refusal(key: name, reason: "the entity has no such attribute.")
    }
    let attribute = try values.attribute(ordinal, name)
    guard !attribute.isTransient else {
      throw BatchValues.Refusal(key: name, reason: "it is transient, so stores do not have it.")
    }
    let expression = value as? PredicateLanguage.NSExpression
    if path.count > 1 {
      try add(Array(path.dropFirst()), of: attribute, ordinal, name, value)
    } else if case .constant(let constant)? = expression?.node {
      try set(first, to: constant ?? NSNull())
    } else if let expression {
      expressions.append(
        BatchUpdate.Assignment(ordinal: ordinal, path: [], expression: expression))
    } else {
      try set(first, to: value)
    }
  }

  private func set(_ name: String, to value: Any) throws {
    if let ordinal = try values.set(name, to: value, in: constants) { ordinals.insert(ordinal) }
  }

  /// Adds a new value of an element of a composite attribute.
  private func add(
    _ path: [String], of attribute: NSAttributeDescription, _ ordinal: Int, _ name: String,
    _ value: Any
  ) throws {
    var element: NSAttributeDescription? = attribute
    for key in path {
      element = (element as? NSCompositeAttributeDescription)?.elements.first { $0.name == key }
    }
    guard let element, !(element is NSCompositeAttributeDescription) else {
      throw BatchValues.Refusal(key: name, reason: "there is no such element.")
    }
    if !(value is PredicateLanguage.NSExpression) { try values.check(element, value, name) }
    let expression =
      value as? PredicateLanguage.NSExpression
      ?? PredicateLanguage.NSExpression(forConstantValue: value)
    expressions.append(
      BatchUpdate.Assignment(ordinal: ordinal, path: path, expression: expression))
  }
}
