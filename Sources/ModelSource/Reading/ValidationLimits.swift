import Foundation
import ManagedObjectModel

/// Reads the limits on an attribute's values.
///
/// They become validation predicates.
enum ValidationLimits {
  static func read(of attribute: NSAttributeDescription, with reader: inout ElementReader) {
    let texts = Texts(
      minimum: reader.nonEmptyText("minValueString"),
      maximum: reader.nonEmptyText("maxValueString"),
      earliest: reader.nonEmptyText("minDateTimeInterval"),
      latest: reader.nonEmptyText("maxDateTimeInterval"),
      pattern: reader.nonEmptyText("regularExpressionString"))
    let limits: [ValidationRule]
    switch attribute.attributeType {
    case .stringAttributeType: limits = lengths(texts, reader) + pattern(texts, reader)
    case .dateAttributeType: limits = dates(texts, reader)
    case let type where type.isNumber: limits = numbers(texts, reader)
    default: limits = []
    }
    warnOfUnusedLimits(texts, of: attribute.attributeType, reader)
    if !limits.isEmpty {
      attribute.setValidation(
        predicates: limits.map(\.predicate), warnings: limits.map { NSNumber(value: $0.errorCode) })
    }
  }

  private struct Texts {
    let minimum, maximum, earliest, latest, pattern: String?
  }

  // MARK: By type

  private static func numbers(_ texts: Texts, _ reader: ElementReader) -> [ValidationRule] {
    let minimum = number(texts.minimum, "minValueString", reader)
    let maximum = number(texts.maximum, "maxValueString", reader)
    if let minimum, let maximum { check(minimum <= maximum, "minValueString", reader) }
    return [minimum.map(ValidationRule.minimumNumber), maximum.map(ValidationRule.maximumNumber)]
      .compactMap(\.self)
  }

  private static func lengths(_ texts: Texts, _ reader: ElementReader) -> [ValidationRule] {
    let shortest = parse(texts.minimum, "minValueString", "a number of characters", reader, length)
    let longest = parse(texts.maximum, "maxValueString", "a number of characters", reader, length)
    if let shortest, let longest { check(shortest <= longest, "minValueString", reader) }
    return [shortest.map(ValidationRule.minimumLength), longest.map(ValidationRule.maximumLength)]
      .compactMap(\.self)
  }

  private static func dates(_ texts: Texts, _ reader: ElementReader) -> [ValidationRule] {
    let wanted = "a number of seconds since the start of 2001"
    let earliest = parse(texts.earliest, "minDateTimeInterval", wanted, reader, SourceValue.double)
    let latest = parse(texts.latest, "maxDateTimeInterval", wanted, reader, SourceValue.double)
    if let earliest, let latest { check(earliest <= latest, "minDateTimeInterval", reader) }
    return [
      earliest.map { .earliestDate(Date(timeIntervalSinceReferenceDate: $0)) },
      latest.map { .latestDate(Date(timeIntervalSinceReferenceDate: $0)) },
    ].compactMap(\.self)
  }

  private static func pattern(_ texts: Texts, _ reader: ElementReader) -> [ValidationRule] {
    guard let pattern = texts.pattern else { return [] }
    if (try? NSRegularExpression(pattern: pattern)) == nil {
      reader.warning(
        .badValue, "regularExpressionString",
        "\"\(pattern)\" is not a regular expression, so no text will match it.",
        "Correct it.")
    }
    return [.pattern(pattern)]
  }

  // MARK: Values

  /// A limit of numbers; nil, with a warning, if it is outside the range of decimal numbers.
  private static func number(_ text: String?, _ name: String, _ reader: ElementReader) -> Decimal? {
    if let text, SourceValue.decimal(text) == nil, let number = SourceValue.double(text),
      number.magnitude > 1
    {
      reader.warning(
        .badValue, name, "\"\(text)\" is beyond the range of decimal numbers and is ignored.",
        "Remove it.")
      return nil
    }
    return parse(text, name, "a number", reader, SourceValue.decimal)
  }

  private static func length(_ text: String) -> Int? {
    SourceValue.integer(text).flatMap { $0 >= 0 ? Int(exactly: $0) : nil }
  }

  private static func parse<Value>(
    _ text: String?, _ name: String, _ wanted: String, _ reader: ElementReader,
    _ convert: (String) -> Value?
  ) -> Value? {
    guard let text else { return nil }
    if let value = convert(text) { return value }
    reader.error(.badValue, name, "\"\(text)\" is not \(wanted).", "Correct the limit.")
    return nil
  }

  private static func check(_ isOrdered: Bool, _ name: String, _ reader: ElementReader) {
    guard !isOrdered else { return }
    reader.error(
      .contradiction, name, "The lower limit exceeds the upper one, so no value is valid.",
      "Correct one of them.")
  }

  private static func warnOfUnusedLimits(
    _ texts: Texts, of type: NSAttributeType, _ reader: ElementReader
  ) {
    let isText = type == .stringAttributeType
    let unused = [
      ("minValueString", texts.minimum != nil && !isText && !type.isNumber),
      ("maxValueString", texts.maximum != nil && !isText && !type.isNumber),
      ("minDateTimeInterval", texts.earliest != nil && type != .dateAttributeType),
      ("maxDateTimeInterval", texts.latest != nil && type != .dateAttributeType),
      ("regularExpressionString", texts.pattern != nil && !isText),
    ]
    for (name, isUnused) in unused where isUnused {
      reader.warning(
        .contradiction, name, "The limit has no meaning for the type \(type.displayName).",
        "Remove it.")
    }
  }
}

extension NSAttributeType {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: true
    case .decimalAttributeType, .doubleAttributeType, .floatAttributeType: true
    default: false
    }
  }
}
