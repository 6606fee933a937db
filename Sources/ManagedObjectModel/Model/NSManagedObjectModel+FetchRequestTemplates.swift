import PredicateLanguage

extension NSManagedObjectModel {
  /// Returns the fetch request template with a name.
  ///
  /// To change it, copy it.
  public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<
    any NSFetchRequestResult
  >? {
    fetchRequestTemplatesByName[name]
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
    fetchRequestTemplatesByName[name] = template
    template?.holdEntityWeakly()
  }
}
