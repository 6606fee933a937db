import Foundation

/// The operators in a key path: `items.@sum.price`, `items.price.@sum`, `items.@count`.
enum CollectionOperator: String, CaseIterable {
  case count = "@count"
  case sum = "@sum"
  case average = "@avg"
  case min = "@min"
  case max = "@max"
  case distinctUnionOfObjects = "@distinctUnionOfObjects"
  case unionOfObjects = "@unionOfObjects"
  case distinctUnionOfArrays = "@distinctUnionOfArrays"
  case unionOfArrays = "@unionOfArrays"
  case distinctUnionOfSets = "@distinctUnionOfSets"
  case unionOfSets = "@unionOfSets"
  case firstObject = "@firstObject"
  case lastObject = "@lastObject"

  /// Applies the operator to a collection and the rest of the path.
  static func value(
    _ name: String, of object: Any, rest: ArraySlice<String>
  ) throws(PredicateEvaluationError) -> Any? {
    guard let known = CollectionOperator(rawValue: name) else {
      throw .unknownKey(name, of: object)
    }
    guard let elements = Elements(object) else {
      throw PredicateEvaluationError(
        .notACollection,
        "“\(name)” is applied to a value of type \(type(of: object)), which is not a collection.")
    }
    return try known.apply(to: elements.values, rest: rest)
  }

  private func apply(to elements: [Any?], rest: ArraySlice<String>) throws(PredicateEvaluationError)
    -> Any?
  {
    switch self {
    case .count: return elements.count
    case .firstObject: return try KeyValueReader.value(of: elements.first ?? nil, at: rest)
    case .lastObject: return try KeyValueReader.value(of: elements.last ?? nil, at: rest)
    default: return try combine(try values(of: elements, at: rest))
    }
  }

  private func values(of elements: [Any?], at rest: ArraySlice<String>)
    throws(PredicateEvaluationError) -> [Any?]
  {
    guard !rest.isEmpty else { return elements }
    var values: [Any?] = []
    values.reserveCapacity(elements.count)
    for element in elements { values.append(try KeyValueReader.value(of: element, at: rest)) }
    return values
  }

  private func combine(_ values: [Any?]) throws(PredicateEvaluationError) -> Any? {
    switch self {
    case .sum: return try Statistics(values, for: rawValue).sum.boxed
    case .average: return try Statistics(values, for: rawValue).average?.boxed ?? 0
    case .min: return try Ordering.extreme(of: values, .orderedAscending)
    case .max: return try Ordering.extreme(of: values, .orderedDescending)
    case .unionOfObjects: return values.compactMap { $0 }
    case .distinctUnionOfObjects: return distinct(values.compactMap { $0 })
    case .unionOfArrays, .unionOfSets: return try joined(values)
    case .distinctUnionOfArrays, .distinctUnionOfSets: return distinct(try joined(values))
    case .count, .firstObject, .lastObject: return nil
    }
  }

  private func joined(_ values: [Any?]) throws(PredicateEvaluationError) -> [Any] {
    var joined: [Any] = []
    for case let value? in values {
      guard let elements = Elements(value) else {
        throw PredicateEvaluationError(
          .notACollection,
          "“\(rawValue)” needs collections; there is a value of type \(type(of: value)).")
      }
      joined += elements.values.compactMap { $0 }
    }
    return joined
  }
}

/// The values without duplicates, in the order of their first occurrence.
func distinct(_ values: [Any]) -> [Any] {
  var seen = GrowingMembership()
  return values.filter { seen.insert(Value($0)) }
}
