/// Writes the Swift file of one model: its classes, their properties, and the compiled model.
struct ClassFileWriter {
  private let plan: ModelPlan
  private let compiledModel: String
  private var text = SourceText()

  /// Returns the text of the file.
  ///
  /// - Parameter compiledModel: The compiled model, packed for a string literal.
  static func text(for plan: ModelPlan, compiledModel: String) -> String {
    var writer = ClassFileWriter(plan: plan, compiledModel: compiledModel)
    writer.write()
    return writer.text.text
  }

  private init(plan: ModelPlan, compiledModel: String) {
    self.plan = plan
    self.compiledModel = compiledModel
  }

  private mutating func write() {
    GeneratedHeader.append(to: &text, source: "the model \(plan.name)")
    text.line("#if !canImport(ObjectiveC)")
    text.line(plan.classes.isEmpty ? "import CoreData" : "public import CoreData")
    for module in plan.imports { text.line("public import \(module)") }
    for planned in plan.classes {
      if planned.form == .definition { writeClass(planned) }
      writeProperties(of: planned)
      for property in planned.properties { writeCollectionAccessors(of: property, in: planned) }
      writeConformances(of: planned)
    }
    writeModelType()
    text.line("#endif")
  }

  private mutating func writeClass(_ planned: ClassPlan) {
    text.line()
    text.line("/// An object of the entity \(planned.entityName).")
    let name = SwiftName.escaped(planned.className)
    text.block("public nonisolated class \(name): \(planned.superclass)") { text in
      // Subclasses in the program inherit the property, so it is true only for the class itself.
      text.line("public override class var _hasGeneratedBody: Bool { self == \(name).self }")
    }
  }

  private mutating func writeProperties(of planned: ClassPlan) {
    guard !planned.properties.isEmpty else { return }
    text.line()
    text.block("nonisolated extension \(SwiftName.escaped(planned.className))") { text in
      for (position, property) in planned.properties.enumerated() {
        let key = property.accessKey
        if position > 0 { text.line() }
        text.block("public var \(SwiftName.escaped(property.name)): \(property.type)") { text in
          text.line("get { _get(\(key)) }")
          text.line("set { _set(\(key), newValue) }")
        }
      }
    }
  }

  private mutating func writeCollectionAccessors(
    of property: ClassPlan.Property, in planned: ClassPlan
  ) {
    guard case .toMany(let element, let isOrdered) = property.kind else { return }
    text.line()
    text.block("nonisolated extension \(SwiftName.escaped(planned.className))") { text in
      for accessor in CollectionAccessor.all(isOrdered: isOrdered) {
        text.line(accessor.declaration(property: property.name, element: element))
      }
    }
  }

  /// Writes the members that subclasses inherit: `fetchRequest()` and the conformance to
  /// `Identifiable`.
  private mutating func writeConformances(of planned: ClassPlan) {
    let name = SwiftName.escaped(planned.className)
    if !planned.inheritsGeneratedCode {
      text.line()
      text.line("nonisolated extension \(name): _GeneratedManagedObject {}")
    }
    if planned.isRoot {
      text.line()
      text.line("nonisolated extension \(name): Identifiable {}")
    }
  }

  private mutating func writeModelType() {
    text.line()
    text.line("/// The compiled model \(plan.name): deflated, in base 64.")
    text.block("nonisolated enum \(plan.modelTypeName)") { text in
      text.line("static let text: StaticString = \(SourceText.literal(compiledModel))")
    }
  }
}
