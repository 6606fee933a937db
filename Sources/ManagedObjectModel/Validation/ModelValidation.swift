/// Finds everything that makes a model unusable or likely to behave unexpectedly.
///
/// It is a pure function of the model. Issues are in the order of the entities and, within an
/// entity, of its properties, constraints and indexes.
package struct ModelValidation {
  private(set) var issues: [ModelIssue] = []
  let model: NSManagedObjectModel
  let entitiesByName: [String: NSEntityDescription]

  /// All issues of a model.
  package static func issues(in model: NSManagedObjectModel) -> [ModelIssue] {
    var validation = ModelValidation(model)
    validation.checkModel()
    for entity in model.entities { validation.check(entity) }
    return validation.issues
  }

  private init(_ model: NSManagedObjectModel) {
    self.model = model
    entitiesByName = model.entitiesByName
  }

  /// Records an issue.
  mutating func record(
    _ code: ModelIssue.Code, as severity: ModelIssue.Severity = .error,
    in entity: NSEntityDescription? = nil,
    at property: String? = nil, _ message: String, remedy: String
  ) {
    issues.append(
      ModelIssue(
        severity: severity, code: code, entity: entity.map { $0.name ?? "" }, property: property,
        message: message,
        remedy: remedy))
  }

  private mutating func checkModel() {
    for name in repeated(model.entities.compactMap(\.name)) {
      record(
        .duplicateName, "There are several entities named \(name).",
        remedy: "Give each entity a different name.")
    }
    for (name, template) in model.fetchRequestTemplatesByName.sorted(by: { $0.key < $1.key }) {
      if name.isEmpty {
        record(
          .emptyName, "A fetch request template has no name.", remedy: "Name it, or remove it.")
      }
      if let problem = problemWithEntity(of: template) {
        record(
          .fetchOfUnknownEntity, at: name, "The fetch request template \(problem).",
          remedy: "Choose an entity of the model.")
      }
    }
  }

  /// Returns the issue with the entity of a fetch request, or nil.
  func problemWithEntity(of request: NSFetchRequest<any NSFetchRequestResult>) -> String? {
    guard let name = request.entityName else { return "fetches no entity" }
    return entitiesByName[name] == nil
      ? "fetches \(name), which is not an entity of the model" : nil
  }

  /// The names that occur more than once, sorted and without repetition.
  func repeated(_ names: [String]) -> [String] {
    Dictionary(grouping: names, by: { $0 }).filter { $0.value.count > 1 }.keys.sorted(
      by: VersionHash.utf8Precedes)
  }
}
