import ManagedObjectModel
import ModelSource

/// Decides which classes and properties are generated for a model, and with which types.
///
/// The decisions are those of Xcode's "Class Definition" and "Category/Extension".
struct ModelPlanner {
  private let version: ModelBundle.Version
  /// The names under which the model knows the module that the code is generated for.
  ///
  /// Generated code is part of that module. So another module in the name of a generated class is
  /// the module's former name, and all classes with it are in the module.
  private let ownModules: Set<String>
  private var plan: ModelPlan
  private(set) var issues: [GenerationIssue] = []

  private init(bundle: ModelBundle, module: String) {
    version = bundle.currentVersion
    let generated = version.source.entities.values.filter { $0.codeGeneration != .manual }
    ownModules = generated.reduce(into: [module]) { modules, source in
      if case .named(let former)? = source.className?.module { modules.insert(former) }
    }
    plan = ModelPlan(name: bundle.name)
  }

  /// Plans the current version of a model, and reports issues.
  static func plan(_ bundle: ModelBundle, module: String) -> (
    plan: ModelPlan, issues: [GenerationIssue]
  ) {
    var planner = ModelPlanner(bundle: bundle, module: module)
    planner.run()
    return (planner.plan, planner.issues)
  }

  private mutating func run() {
    var entities: [(name: String, entity: NSEntityDescription)] = version.model.entities.compactMap
    { entity in
      entity.name.map { ($0, entity) }
    }
    entities.sort { $0.name < $1.name }
    for (name, entity) in entities { add(entity, named: name) }
    plan.imports = Set(plan.imports).sorted()
    checkClassNames()
  }

  private func source(of entity: NSEntityDescription) -> EntitySourceInfo? {
    entity.name.flatMap { version.source.entities[$0] }
  }

  private mutating func add(_ entity: NSEntityDescription, named name: String) {
    guard let source = source(of: entity), let className = source.className else {
      return reportMissingClass(entity)
    }
    guard SwiftName.isIdentifier(className.name) else {
      return report(
        entity,
        "The class name \(className.text) of entity \(name) is not a valid name in Swift. Change it."
      )
    }
    plan.representingClasses.append(
      .init(entityName: name, module: otherModule(of: className), className: className.name))
    plan.propertiesByClass[className.name, default: []].formUnion(entity.propertiesByName.keys)
    // If a class has several entities, its properties have no common ordinals.
    plan.ordinalsByClass[className.name] =
      plan.ordinalsByClass[className.name] == nil ? ordinals(of: entity) : [:]
    guard let form = ClassPlan.Form(source.codeGeneration) else { return }
    let superclass = self.superclass(of: entity)
    plan.classes.append(
      ClassPlan(
        entityName: name, className: className.name, superclass: superclass ?? "NSManagedObject",
        form: form,
        isRoot: superclass == nil, inheritsGeneratedCode: inheritsGeneratedCode(entity),
        properties: properties(of: entity)))
  }

  private mutating func reportMissingClass(_ entity: NSEntityDescription) {
    guard let source = source(of: entity), source.codeGeneration != .manual else { return }
    report(
      entity,
      "Entity \(entity.name ?? "") has code generation but no custom class. Give it a class name, or choose Manual/None."
    )
  }

  private func otherModule(of className: SourceClassName) -> String? {
    guard case .named(let named) = className.module, !ownModules.contains(named) else {
      return nil
    }
    return named
  }

  /// Returns the class of the closest ancestor that has one.
  private mutating func superclass(of entity: NSEntityDescription) -> String? {
    for ancestor in entity.lineage.dropFirst() {
      if let className = source(of: ancestor)?.className { return reference(to: className) }
    }
    return nil
  }

  private func inheritsGeneratedCode(_ entity: NSEntityDescription) -> Bool {
    entity.lineage.dropFirst().contains { ancestor in
      source(of: ancestor).map { $0.className != nil && $0.codeGeneration != .manual } ?? false
    }
  }

  private mutating func reference(to className: SourceClassName) -> String {
    if let other = otherModule(of: className) { plan.imports.append(other) }
    return SwiftName.escaped(className.name)
  }

  private mutating func report(_ entity: NSEntityDescription, line: Int? = nil, _ message: String) {
    let line = line ?? source(of: entity)?.position.line
    issues.append(GenerationIssue(file: version.source.file, line: line, message))
  }

  /// Reports generated classes with the same name.
  ///
  /// The compiler's error would not name the model.
  private mutating func checkClassNames() {
    var seen: [String: String] = [:]
    for planned in plan.classes {
      if let other = seen[planned.className],
        let entity = version.model.entitiesByName[planned.entityName]
      {
        report(
          entity,
          "Entities \(other) and \(planned.entityName) would both generate code for the class \(planned.className). Choose Manual/None for one of them."
        )
      }
      seen[planned.className] = planned.entityName
    }
  }
}

extension ClassPlan.Form {
  fileprivate init?(_ codeGeneration: EntitySourceInfo.CodeGeneration) {
    switch codeGeneration {
    case .manual: return nil
    case .classDefinition: self = .definition
    case .categoryExtension: self = .properties
    }
  }
}

// MARK: - Properties

extension ModelPlanner {
  private mutating func properties(of entity: NSEntityDescription) -> [ClassPlan.Property] {
    let inherited = Set(entity.inheritedProperties.map(\.name))
    let own = entity.ownProperties.filter { !inherited.contains($0.name) }.sorted {
      $0.name < $1.name
    }
    let ordinals = ordinals(of: entity)
    return own.compactMap { description in
      var planned = property(for: description, of: entity)
      planned?.ordinal = ordinals[description.name]
      return planned
    }
  }

  private func ordinals(of entity: NSEntityDescription) -> [String: Int] {
    Dictionary(
      entity.propertiesInRowOrder.enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  private mutating func property(
    for property: NSPropertyDescription, of entity: NSEntityDescription
  ) -> ClassPlan.Property? {
    guard isUsableName(property.name, of: entity) else { return nil }
    switch property {
    case let attribute as NSAttributeDescription:
      return valueType(of: attribute, in: entity).map {
        ClassPlan.Property(name: attribute.name, type: $0)
      }
    case let relationship as NSRelationshipDescription:
      return self.property(for: relationship)
    case let fetched as NSFetchedPropertyDescription:
      let destination = fetched.fetchRequest?.entityName.flatMap {
        version.model.entitiesByName[$0]
      }
      return ClassPlan.Property(name: fetched.name, type: "[\(className(of: destination))]?")
    default: return nil
    }
  }

  private mutating func isUsableName(_ name: String, of entity: NSEntityDescription) -> Bool {
    guard SwiftName.isIdentifier(name) else {
      report(entity, "\(entity.name ?? "").\(name) is not a valid name in Swift. Change it.")
      return false
    }
    return true
  }

  private mutating func property(for relationship: NSRelationshipDescription) -> ClassPlan.Property
  {
    let element = className(of: relationship.destinationEntity)
    guard relationship.isToMany else {
      return ClassPlan.Property(name: relationship.name, type: "\(element)?")
    }
    return ClassPlan.Property(
      name: relationship.name, type: relationship.isOrdered ? "NSOrderedSet?" : "NSSet?",
      kind: .toMany(element: element, isOrdered: relationship.isOrdered))
  }

  private mutating func className(of entity: NSEntityDescription?) -> String {
    entity.flatMap { source(of: $0)?.className }.map { reference(to: $0) } ?? "NSManagedObject"
  }

  private mutating func valueType(
    of attribute: NSAttributeDescription, in entity: NSEntityDescription
  ) -> String? {
    let info = source(of: entity)?.attributes[attribute.name]
    let isScalar = info?.usesScalarValueType ?? false
    switch attribute.attributeType {
    case .integer16AttributeType: return isScalar ? "Int16" : "NSNumber?"
    case .integer32AttributeType: return isScalar ? "Int32" : "NSNumber?"
    case .integer64AttributeType: return isScalar ? "Int64" : "NSNumber?"
    case .doubleAttributeType: return isScalar ? "Double" : "NSNumber?"
    case .floatAttributeType: return isScalar ? "Float" : "NSNumber?"
    case .booleanAttributeType: return isScalar ? "Bool" : "NSNumber?"
    case .decimalAttributeType: return "NSDecimalNumber?"
    case .stringAttributeType: return "String?"
    case .dateAttributeType: return isScalar ? "TimeInterval" : "Date?"
    case .binaryDataAttributeType: return "Data?"
    case .UUIDAttributeType: return "UUID?"
    case .URIAttributeType: return "URL?"
    case .compositeAttributeType: return "[String: Any]?"
    case .transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType:
      return customType(info?.customClassName, of: attribute, in: entity, line: info?.position.line)
    }
  }

  /// Returns the type for the custom class of an attribute, such as `NSArray`, `[String]`, `.Color`
  /// or `UIKit.UIColor`.
  private mutating func customType(
    _ text: String?, of attribute: NSAttributeDescription, in entity: NSEntityDescription,
    line: Int?
  ) -> String? {
    guard let text, !text.isEmpty else { return "NSObject?" }
    let bare = text.hasPrefix(".") ? String(text.dropFirst()) : text
    let path = bare.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if path.allSatisfy(SwiftName.isIdentifier) {
      guard path.count > 1, !ownModules.contains(path[0]) else { return "\(path.last ?? bare)?" }
      if !["Swift", "Foundation", "CoreData"].contains(path[0]) { plan.imports.append(path[0]) }
      return "\(bare)?"
    }
    let isType = bare.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isXIDContinue || "_.[]<>:?, ".unicodeScalars.contains(scalar)
    }
    guard isType else {
      report(
        entity, line: line,
        "The class \(text) of \(entity.name ?? "").\(attribute.name) is not a type in Swift. Name a class, or [Element]."
      )
      return nil
    }
    return "\(bare)?"
  }
}
