import Foundation

extension PredicateExpressions.Range: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let (lower, upper) = (try translator.expression(lower), try translator.expression(upper))
    return .range(TranslatedRange(lower: lower, upper: upper, includesUpper: false))
  }
}

extension PredicateExpressions.ClosedRange: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let (lower, upper) = (try translator.expression(lower), try translator.expression(upper))
    return .range(TranslatedRange(lower: lower, upper: upper, includesUpper: true))
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    guard let bounds = TranslatedRange(try translator.translate(range)) else {
      throw PredicateTranslationError.unsupported(
        Self.self, "\(RangeExpression.Output.self) has no known bounds.")
    }
    return .predicate(bounds.contains(try translator.expression(element)))
  }
}

extension TranslatedRange {
  /// The bounds of a range, constant or not.
  init?(_ translated: Translated) {
    switch translated {
    case .range(let range): self = range
    case .constant(let range as any RangeWithBounds): self = range.bounds
    default: return nil
    }
  }

  fileprivate init(_ lower: Any?, _ upper: Any?, includesUpper: Bool) {
    self.init(
      lower: lower.map(NSExpression.init(forConstantValue:)),
      upper: upper.map(NSExpression.init(forConstantValue:)),
      includesUpper: includesUpper)
  }
}

/// The ranges of the standard library.
private protocol RangeWithBounds {
  var bounds: TranslatedRange { get }
}

extension Range: RangeWithBounds {
  fileprivate var bounds: TranslatedRange {
    TranslatedRange(lowerBound, upperBound, includesUpper: false)
  }
}

extension ClosedRange: RangeWithBounds {
  fileprivate var bounds: TranslatedRange {
    TranslatedRange(lowerBound, upperBound, includesUpper: true)
  }
}

extension PartialRangeFrom: RangeWithBounds {
  fileprivate var bounds: TranslatedRange { TranslatedRange(lowerBound, nil, includesUpper: false) }
}

extension PartialRangeUpTo: RangeWithBounds {
  fileprivate var bounds: TranslatedRange { TranslatedRange(nil, upperBound, includesUpper: false) }
}

extension PartialRangeThrough: RangeWithBounds {
  fileprivate var bounds: TranslatedRange { TranslatedRange(nil, upperBound, includesUpper: true) }
}
