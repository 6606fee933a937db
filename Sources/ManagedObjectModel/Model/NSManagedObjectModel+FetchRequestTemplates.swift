import PredicateLanguage

extension NSManagedObjectModel {
  /// The fetch request templates by their names.
  public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
    Dictionary(
      namedTemplates.map { ($0.name, $0.template) }, uniquingKeysWith: { first, _ in first })
  }

  /// The fetch request template of a name.
  ///
  /// Copy it to change it.
  public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<
    any NSFetchRequestResult
  >? {
    namedTemplates.first { $0.name == name }?.template
  }

  /// A copy of the fetch request template of a name, with values for the variables of its
  /// predicate.
  ///
  /// - Warning: A variable without a value stops the program.
  public func fetchRequestFromTemplate(
    withName name: String, substitutionVariables variables: [String: Any]
  ) -> NSFetchRequest<any NSFetchRequestResult>? {
    let request = fetchRequestTemplate(forName: name)?.duplicate()
    request?.predicate = request?.predicate?.withSubstitutionVariables(variables)
    return request
  }

  /// Sets the fetch request template of a name; nil removes it.
  public func setFetchRequestTemplate(
    _ template: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
  ) {
    requireEditable()
    let position = namedTemplates.firstIndex { $0.name == name }
    switch (position, template) {
    case (let position?, let template?): namedTemplates[position].template = template
    case (let position?, nil): namedTemplates.remove(at: position)
    case (nil, let template?): namedTemplates.append((name, template))
    case (nil, nil): break
    }
    template?.holdEntityWeakly()
  }
}
