/// The code to generate for a whole target: the classes of entities, and the members that need
/// accessors.
struct TargetPlan: Sendable {
  let module: String
  let models: [ModelPlan]
  let names: DeclaredNames
  let accessors: ManagedAccessors

  /// The errors and warnings.
  let issues: [GenerationIssue]

  init(module: String, models: [ModelPlan], files: [SourceFileDeclarations]) {
    var generated = DeclaredNames()
    var keys = ManagedKeys()
    for model in models {
      for planned in model.classes where planned.form == .definition {
        generated.declare(.class, at: [planned.className], access: .public)
      }
      keys.propertiesByClass.merge(model.propertiesByClass) { $0.union($1) }
      keys.ordinalsByClass.merge(model.ordinalsByClass) { _, _ in [:] }
    }
    self.module = module
    self.models = models
    accessors = ManagedAccessors(module: module, files: files, generated: generated, keys: keys)
    names = accessors.names
    let known = Set(models.flatMap { $0.representingClasses.map(\.className) })
    issues = accessors.issues + InitializerCheck(files: files, known: known).issues
  }
}
