import PredicateLanguage

extension NSManagedObjectModel {
  /// The fetch request templates, by name.
  public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
    Dictionary(
      namedTemplates.map { ($0.name, $0.template) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the fetch request template with a name.
  ///
  /// To change it, copy it.
  public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<
    any NSFetchRequestResult
  >? {
    namedTemplates.first { $0.name == name }?.template
  }

  /// Returns a copy of the fetch request template with a name, with values for the variables of its
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

  /// Sets the fetch request template with a name; nil removes it.
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
