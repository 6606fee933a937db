/// The class of one entity, as it is to be generated.
struct ClassPlan: Equatable, Sendable {
  enum Form: Sendable {
    /// The class and its properties.
    case definition
    /// The properties, for a class that is written by hand.
    case properties
  }

  /// A property and its type as source text.
  struct Property: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
      case value
      case toMany(element: String, isOrdered: Bool)
    }

    var name: String
    var type: String
    var kind = Kind.value
    /// The number of the property among those of its entity, if it is known.
    var ordinal: Int?

    /// How accessors name the property: by its ordinal too, if it is known.
    var accessKey: String { SourceText.accessKey(name, ordinal: ordinal) }
  }

  var entityName: String
  var className: String
  var superclass: String
  var form: Form
  /// Whether no class above it is a managed object class of the model, so that it declares what all
  /// below inherit.
  var isRoot: Bool
  /// Whether a class above it has generated code too.
  var inheritsGeneratedCode: Bool
  /// The class's own properties, ordered by name.
  var properties: [Property]
}
