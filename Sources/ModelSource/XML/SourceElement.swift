/// An element of an XML file, with its attributes in order and their positions.
package struct SourceElement: Sendable {
  /// An attribute of an element, with all references in its value resolved.
  package struct Attribute: Sendable, Hashable {
    package let name: String
    package let value: String
    /// The offset of the name in the file, in bytes.
    package let offset: Int
  }

  package let name: String
  package let attributes: [Attribute]
  package internal(set) var children: [SourceElement] = []
  /// All character data directly inside the element, concatenated.
  package internal(set) var text = ""
  /// The offset of the opening bracket in the file, in bytes.
  package let offset: Int

  /// The value of an attribute, or nil if the element does not have it.
  package subscript(attribute name: String) -> String? {
    attributes.first { $0.name == name }?.value
  }

  /// The child elements with a name.
  package func children(named name: String) -> [SourceElement] {
    children.filter { $0.name == name }
  }
}
