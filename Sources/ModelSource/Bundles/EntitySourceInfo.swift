/// What the source of a model says of an entity beyond its description.
package struct EntitySourceInfo: Sendable {
  /// Which files are generated for the entity's class.
  package enum CodeGeneration: String, Sendable {
    /// None: the class is written by hand, or there is none.
    case manual = "none"
    /// The class and its properties: "Class Definition" in the data modeler.
    case classDefinition = "class"
    /// An extension with the properties, for a class written by hand: "Category/Extension" in the
    /// data modeler.
    case categoryExtension = "category"
  }

  package internal(set) var codeGeneration = CodeGeneration.manual
  /// The class that represents the entity, or nil where that is `NSManagedObject`.
  package internal(set) var className: SourceClassName?
  /// What the source says of each attribute that the entity itself declares, by its name.
  package internal(set) var attributes: [String: AttributeSourceInfo] = [:]
  /// Where the entity stands in the file.
  package let position: SourcePosition
}

/// What the source of a model says of an attribute beyond its description.
package struct AttributeSourceInfo: Sendable {
  /// Whether a number is to be a scalar in generated code; nil where the source leaves it open,
  /// which means no.
  package internal(set) var usesScalarValueType: Bool?
  /// The class of a Transformable attribute's values, as the source writes it: `NSArray`,
  /// `[String]`, `UIKit.UIColor`.
  package internal(set) var customClassName: String?
  /// Where the attribute stands in the file.
  package let position: SourcePosition
}
