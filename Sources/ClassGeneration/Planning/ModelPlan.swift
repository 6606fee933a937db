/// The code to generate for one model, as a value for the writers.
struct ModelPlan: Equatable, Sendable {
  /// An entity's class, for the registry.
  struct RepresentingClass: Equatable, Sendable {
    var entityName: String
    /// The module that declares the class, if it is not the model's.
    var module: String?
    var className: String
  }

  /// The model's name, with which applications load it.
  var name: String
  var classes: [ClassPlan] = []
  /// Every entity with a custom class, ordered by name.
  var representingClasses: [RepresentingClass] = []
  /// The names of all properties of each class's entity, by the class's name.
  var propertiesByClass: [String: Set<String>] = [:]
  /// The ordinals of the properties, for classes of a single entity, by the class's name.
  ///
  /// An ordinal is a property's position in the entity's rows. With it, an accessor finds its value
  /// without a look-up by name.
  var ordinalsByClass: [String: [String: Int]] = [:]
  /// Other modules whose types the properties mention.
  var imports: [String] = []

  /// The name of the generated type that contains the compiled model.
  var modelTypeName: String {
    let scalars = name.unicodeScalars.map {
      $0 == "_" || $0.properties.isXIDContinue ? String($0) : "_"
    }
    return "_CompiledModel_\(scalars.joined())"
  }
}
