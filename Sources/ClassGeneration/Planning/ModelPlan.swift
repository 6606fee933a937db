/// What is generated for one model: a value that the writers turn into text.
struct ModelPlan: Equatable, Sendable {
  /// The class that represents an entity, for the registry.
  struct RepresentingClass: Equatable, Sendable {
    var entityName: String
    /// The module that declares the class, if it is another than the model's.
    var module: String?
    var className: String
  }

  /// The model's name, by which an application loads it.
  var name: String
  var classes: [ClassPlan] = []
  /// Every entity with a class of its own, ordered by name.
  var representingClasses: [RepresentingClass] = []
  /// The names of all properties of the entity of each class, by the class's name.
  var propertiesByClass: [String: Set<String>] = [:]
  /// The ordinals of the properties of each class that represents one entity, by the class's name.
  ///
  /// With its ordinal an accessor finds its value without a look-up by name.
  var ordinalsByClass: [String: [String: Int]] = [:]
  /// Other modules whose types the properties mention.
  var imports: [String] = []

  /// The name of the generated type that holds the compiled model.
  var carrierName: String {
    let scalars = name.unicodeScalars.map {
      $0 == "_" || $0.properties.isXIDContinue ? String($0) : "_"
    }
    return "_CompiledModel_\(scalars.joined())"
  }
}
