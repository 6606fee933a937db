/// Reads the stored properties of Swift types that do not adopt `KeyValueCoding`.
///
/// On Apple's platforms a class makes its properties readable by marking them `@objc`. That is not
/// possible here, so every stored property is readable.
package enum Reflection {
  package struct Property {
    package let value: Any?
  }

  /// The stored property, of the type or of a superclass.
  package static func property(_ name: String, of object: Any) -> Property? {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
      if let child = current.children.first(where: { $0.label == name }) {
        return Property(value: unwrapped(child.value))
      }
      mirror = current.superclassMirror
    }
    return nil
  }
}
