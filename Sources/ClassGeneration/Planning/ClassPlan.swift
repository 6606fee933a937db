/// The class to generate for one entity.
struct ClassPlan: Equatable, Sendable {
  enum Form: Sendable {
    /// The class and its properties.
    case definition
    /// The properties, for a hand-written class.
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
    /// The property's ordinal: its position in the entity's rows, if it is known.
    var ordinal: Int?

    /// The key in accessors: the ordinal, if it is known, and the name.
    var accessKey: String { SourceText.accessKey(name, ordinal: ordinal) }
  }

  var entityName: String
  var className: String
  var superclass: String
  var form: Form
  /// Whether no superclass is a managed object class of the model, so that this class declares the
  /// conformance to `Identifiable`.
  var isRoot: Bool
  /// Whether a superclass has generated code too.
  var inheritsGeneratedCode: Bool
  /// The class's own properties, ordered by name.
  var properties: [Property]
}
