/// An entity's settings in the source of a model that are not part of its description.
package struct EntitySourceInfo: Sendable {
  /// The files that are generated for the entity's class.
  package enum CodeGeneration: String, Sendable {
    /// None: the class is written by hand, or there is none.
    case manual = "none"
    /// The class and its properties: "Class Definition" in the data modeler.
    case classDefinition = "class"
    /// An extension with the properties of a hand-written class: "Category/Extension" in the data
    /// modeler.
    case categoryExtension = "category"
  }

  package internal(set) var codeGeneration = CodeGeneration.manual
  /// The entity's class, or nil for `NSManagedObject`.
  package internal(set) var className: SourceClassName?
  /// The settings of the entity's own attributes, by name.
  package internal(set) var attributes: [String: AttributeSourceInfo] = [:]
  /// The entity's position in the file.
  package let position: SourcePosition
}

/// An attribute's settings in the source of a model that are not part of its description.
package struct AttributeSourceInfo: Sendable {
  /// Whether generated code has a scalar type for a number or a date; nil, the default, means no.
  package internal(set) var usesScalarValueType: Bool?
  /// The class of a Transformable attribute's values, as the source writes it: `NSArray`,
  /// `[String]`, `UIKit.UIColor`.
  package internal(set) var customClassName: String?
  /// The attribute's position in the file.
  package let position: SourcePosition
}
