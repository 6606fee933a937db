/// Writes a target's Swift file, in addition to those of its models.
///
/// It contains aliases for ambiguous names, the registration of the models, and the accessors of
/// `@NSManaged` members.
struct TargetFileWriter {
  private let plan: TargetPlan

  static func text(for plan: TargetPlan) -> String {
    var text = SourceText()
    TargetFileWriter(plan: plan).write(to: &text)
    return text.text
  }

  private func write(to text: inout SourceText) {
    GeneratedHeader.append(to: &text, source: "the models and sources of \(plan.module)")
    text.line("#if !canImport(ObjectiveC)")
    writeImports(to: &text)
    writeNames(to: &text)
    for model in plan.models { writeRegistration(of: model, to: &text) }
    writeObjectiveCNames(to: &text)
    plan.accessors.append(to: &text)
    text.line("#endif")
  }

  private func writeImports(to text: inout SourceText) {
    text.line("public import CoreData")
    for module in Set(plan.models.flatMap(\.imports) + plan.accessors.imports).sorted()
    where module != "CoreData" {
      text.line("import \(module)")
    }
  }

  /// Names that both Foundation and CoreData declare.
  ///
  /// An alias in the module resolves the ambiguity.
  private static let ambiguousNames = [
    "NSComparisonPredicate", "NSCompoundPredicate", "NSExpression",
  ]

  private func writeNames(to text: inout SourceText) {
    text.line()
    text.line("// Foundation's classes of these names do not work without Objective-C.")
    for name in Self.ambiguousNames
    where plan.names.kinds[[name]] == nil && plan.names.aliases[[name]] == nil {
      text.line("/// The class of CoreData.")
      text.line("public typealias \(name) = CoreData.\(name)")
    }
  }
}

// MARK: - Registration

extension TargetFileWriter {
  /// Writes a function that runs when the module is loaded.
  ///
  /// It may run before the standard library is ready. Therefore it only enqueues another function,
  /// which runs at the first lookup of a model.
  private func writeRegistration(of model: ModelPlan, to text: inout SourceText) {
    text.line()
    text.line(
      "/// Makes the model \(model.name) and its classes known to the process when it starts.")
    text.line("@section(\".init_array\") @used")
    let name = "_register\(model.modelTypeName)"
    text.block("nonisolated private let \(name): @convention(c) @Sendable () -> Void =") { text in
      text.block("parhelion_model_registry_push") { text in
        text.line("var classes: [String: AnyClass] = [:]")
        for entity in model.representingClasses { append(entity, to: &text, of: model) }
        text.block(
          "ManagedObjectModel.ModelRegistry.register(name: \(SourceText.literal(model.name)), classes: classes)"
        ) { text in
          text.line("ManagedObjectModel.ModelRegistry._unpacked(\(model.modelTypeName).text)")
        }
      }
    }
  }

  private func append(
    _ entity: ModelPlan.RepresentingClass, to text: inout SourceText, of model: ModelPlan
  ) {
    let key = SourceText.literal(entity.entityName)
    let isGenerated = model.classes.contains {
      $0.form == .definition && $0.className == entity.className
    }
    if entity.module == nil, !isGenerated, let path = objectiveCNames[entity.className] {
      append(path, as: key, to: &text)
    } else if isGenerated || plan.names.isClass([entity.className]) {
      append([entity.className], as: key, to: &text)
    }
    if let module = entity.module {
      // If the program lacks the other module's class, the class moved into this module and is
      // registered above.
      let name = SourceText.literal("\(module).\(entity.className)")
      text.line("if let other = NSClassFromString(\(name)) { classes[\(key)] = other }")
    }
  }
}

// MARK: - Objective-C names

extension TargetFileWriter {
  /// The paths of the classes that the generated file can reference, by Objective-C name.
  private var objectiveCNames: [String: [String]] {
    plan.names.objectiveCNames.filter { _, path in
      path.indices.allSatisfy { !plan.names.fileScoped.contains(Array(path[...$0])) }
    }
  }

  /// Writes a function that runs when the module is loaded and registers these names.
  private func writeObjectiveCNames(to text: inout SourceText) {
    let names = objectiveCNames.sorted { $0.key < $1.key }
    guard !names.isEmpty else { return }
    text.line()
    text.line(
      "/// Makes the names that classes have in Objective-C known to the process when it starts.")
    text.line("@section(\".init_array\") @used")
    text.block(
      "nonisolated private let _registerObjectiveCNames: @convention(c) @Sendable () -> Void ="
    ) { text in
      text.block("parhelion_model_registry_push") { text in
        text.line("var classes: [String: AnyClass] = [:]")
        for (name, path) in names { append(path, as: SourceText.literal(name), to: &text) }
        text.line("ManagedObjectModel.ModelRegistry.registerObjectiveCNames(classes)")
      }
    }
  }

  private func append(_ path: [String], as key: String, to text: inout SourceText) {
    let name = path.map(SwiftName.escaped).joined(separator: ".")
    text.compiled(if: plan.names.conditions(of: path)) { text in
      text.line("classes[\(key)] = \(name).self")
    }
  }
}
