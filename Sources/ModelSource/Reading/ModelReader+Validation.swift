import ManagedObjectModel

extension ModelReader {
  /// Reports issues of the finished model that no single element shows.
  func validate() {
    for problem in ModelValidation.problems(in: model)
    where !Self.codesCheckedWhileReading.contains(problem.code) {
      let entity = problem.entity ?? ""
      let offset = problem.property.flatMap { offsets["\(entity).\($0)"] } ?? offsets[entity]
      file.record(
        problem.severity == .error ? .error : .warning, .contradiction, at: offset,
        element: [problem.entity, problem.property].compactMap(\.self).joined(separator: "."),
        problem.message,
        problem.remedy)
    }
  }

  /// The codes that earlier steps have reported, with the exact element and attribute.
  private static let codesCheckedWhileReading: Set<ModelProblem.Code> = [
    .compositeTooDeep, .compositeWithoutElements, .constraintEmpty, .constraintOnRelationship,
    .constraintUnknownAttribute, .countsOutOfOrder, .derivedWithoutExpression, .duplicateName,
    .emptyName,
    .fetchOfUnknownEntity, .fetchWithoutRequest, .indexEmpty, .indexUnknownProperty,
    .inverseMismatch,
    .missingDestination, .missingInverse, .orderedToOne, .parentCycle, .undefinedType, .unknownType,
    .unusableName,
  ]
}
