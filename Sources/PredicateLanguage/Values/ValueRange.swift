import Foundation

/// A range of values on the right side of IN and BETWEEN.
protocol ValueRange {
  func contains(_ value: Value) -> Bool
}

extension ClosedRange: ValueRange {
  func contains(_ value: Value) -> Bool { value.as(Bound.self).map { contains($0) } ?? false }
}

extension Range: ValueRange {
  func contains(_ value: Value) -> Bool { value.as(Bound.self).map { contains($0) } ?? false }
}

extension IndexSet: ValueRange {
  func contains(_ value: Value) -> Bool { value.as(Int.self).map { contains($0) } ?? false }
}

extension Value {
  /// The value as the type of a range's bounds, if the conversion is exact.
  fileprivate func `as`<Bound>(_ type: Bound.Type) -> Bound? {
    guard case .number(let number) = self else { return any as? Bound }
    if type == Int.self {
      return number.integer.flatMap { Number.integer($0) == number ? $0 : nil } as? Bound
    }
    if type == Double.self { return number.double as? Bound }
    return number.boxed as? Bound
  }
}
