import ManagedObjectModel

extension ModelReader {
  /// Reports issues of the finished model that no single element shows.
  func validate() {
    for issue in ModelValidation.issues(in: model)
    where !Self.codesCheckedWhileReading.contains(issue.code) {
      let entity = issue.entity ?? ""
      let offset = issue.property.flatMap { offsets["\(entity).\($0)"] } ?? offsets[entity]
      file.record(
        issue.severity == .error ? .error : .warning, .contradiction, at: offset,
        element: [issue.entity, issue.property].compactMap(\.self).joined(separator: "."),
        issue.message,
        issue.remedy)
    }
  }

  /// The codes of rules that earlier steps check, with the exact element and attribute.
  private static let codesCheckedWhileReading: Set<ModelIssue.Code> = [
    .compositeTooDeep, .compositeWithoutElements, .constraintEmpty, .constraintOnRelationship,
    .constraintUnknownAttribute, .countsOutOfOrder, .derivedWithoutExpression, .duplicateName,
    .emptyName,
    .fetchOfUnknownEntity, .fetchWithoutRequest, .indexEmpty, .indexUnknownProperty,
    .inverseMismatch,
    .missingDestination, .missingInverse, .orderedToOne, .parentCycle, .undefinedType, .unknownType,
    .unusableName,
  ]
}
