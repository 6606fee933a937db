import CloudRecords
import CloudWire
import Foundation
import PredicateLanguage

/// Converts the server's filters back to a predicate, for fetched subscriptions.
extension QueryTranslation {
  /// The predicate for a list of filters; nil if no predicate can express one of them.
  static func predicate(
    of filters: [QueryInput.Filter], _ coding: RecordCoding, in zoneID: CKRecordZone.ID
  ) -> NSPredicate? {
    var parts: [NSPredicate] = []
    for filter in filters {
      guard let part = predicate(of: filter, coding, in: zoneID) else { return nil }
      parts.append(part)
    }
    switch parts.count {
    case 0: return NSPredicate(value: true)
    case 1: return parts[0]
    default: return CompoundPredicate(andPredicateWithSubpredicates: parts)
    }
  }

  private static func predicate(
    of filter: QueryInput.Filter, _ coding: RecordCoding, in zoneID: CKRecordZone.ID
  ) -> NSPredicate? {
    guard let comparator = FilterComparator(wireName: filter.comparator),
      let value = filter.value.contents(coding, in: zoneID)
    else { return nil }
    if let form = Form(comparator) {
      let name = name(filter.name)
      return name.map { comparison(form, NSExpression(forKeyPath: $0), value) }
    }
    if let opposite = comparator.negated, Form(opposite) != nil {
      var positive = filter
      positive.comparator = opposite.rawValue
      return predicate(of: positive, coding, in: zoneID).map {
        CompoundPredicate(notPredicateWithSubpredicate: $0)
      }
    }
    return other(comparator, filter, value)
  }

  /// Returns the predicate of a full-text search or a distance comparison; nil for other filters.
  private static func other(
    _ comparator: FilterComparator, _ filter: QueryInput.Filter, _ value: FieldContent
  ) -> NSPredicate? {
    switch (comparator, value) {
    case (.containsAllTokens, .string(let words)):
      return NSPredicate(format: "%K TOKENMATCHES[cdl] %@", name(filter.name) ?? "allTokens", words)
    case (.containsAnyTokens, .string(let words)):
      return NSPredicate(
        format: "ANY %K TOKENMATCHES[cdl] %@", name(filter.name) ?? "allTokens", words)
    case (.near, .location(let place)):
      guard let distance = filter.distance, let name = name(filter.name) else { return nil }
      return NSPredicate(
        format: "distanceToLocation:fromLocation:(%K, %@) < %f", name, place, distance)
    default: return nil
    }
  }

  private static func name(_ name: QueryInput.FieldName) -> String? {
    switch name {
    case .field(let field): field.isEmpty ? nil : field
    case .system(let field):
      switch SystemField(apiName: field) {
      case .recordIdentifier: "recordID"
      case .createdTime: "creationDate"
      case .createdBy: "creatorUserRecordID"
      case .modifiedTime: "modificationDate"
      case .modifiedBy: "lastModifiedUserRecordID"
      case let other: other?.rawValue
      }
    }
  }

  private static func comparison(_ form: Form, _ field: NSExpression, _ value: FieldContent)
    -> NSPredicate
  {
    let constant = NSExpression(forConstantValue: value.value)
    return NSComparisonPredicate(
      leftExpression: form.hasFieldOnTheRight ? constant : field,
      rightExpression: form.hasFieldOnTheRight ? field : constant, modifier: form.modifier,
      type: form.type,
      options: [])
  }
}

/// The predicate form of a comparator.
private struct Form {
  var type: NSComparisonPredicate.Operator
  var modifier = NSComparisonPredicate.Modifier.direct
  var hasFieldOnTheRight = false

  init?(_ comparator: FilterComparator) {
    switch comparator {
    case .equals: type = .equalTo
    case .notEquals: type = .notEqualTo
    case .lessThan: type = .lessThan
    case .lessThanOrEquals: type = .lessThanOrEqualTo
    case .greaterThan: type = .greaterThan
    case .greaterThanOrEquals: type = .greaterThanOrEqualTo
    case .in: type = .in
    case .beginsWith: type = .beginsWith
    case .listContains: (type, hasFieldOnTheRight) = (.in, true)
    case .listContainsAny: (type, modifier, hasFieldOnTheRight) = (.in, .any, true)
    case .listContainsAll: (type, modifier, hasFieldOnTheRight) = (.in, .all, true)
    case .listMemberBeginsWith: (type, modifier) = (.beginsWith, .any)
    default: return nil
    }
  }
}

extension FieldInput {
  /// The compared value; nil if there is none.
  fileprivate func contents(_ coding: RecordCoding, in zoneID: CKRecordZone.ID) -> FieldContent? {
    switch content {
    case .clear: nil
    case .stated(let value), .inferred(let value): coding.content(value, in: zoneID)
    case .emptyList: .list([])
    }
  }
}
