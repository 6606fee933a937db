package import Foundation
package import ManagedObjectModel

/// A transformer whose reverse transformation creates archives.
///
/// Transformable attributes use it in reverse, and get the reason of a failure from it.
protocol ArchiveTransformer: ValueTransformer {
  func value(of data: Data) throws -> Any?
  func data(of value: Any) throws -> Data
}

/// Encodes and decodes the values of a transformable attribute.
///
/// | the attribute's transformer | value to bytes | bytes to value |
/// |---|---|---|
/// | none | a keyed archive of any class | |
/// | `NSSecureUnarchiveFromData`, or a subclass | `reverseTransformedValue` | `transformedValue` |
/// | any other | `transformedValue` | `reverseTransformedValue` |
package struct AttributeTransformer {
  private let attribute: NSAttributeDescription

  package init(_ attribute: NSAttributeDescription) { self.attribute = attribute }

  /// The bytes to store for a value; nil if a custom transformer returns nil.
  package func encode(_ value: Any) throws -> Data? {
    let transformer = try transformer()
    let transformed =
      transformer is any ArchiveTransformer
      ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
    if let data = transformed as? Data { return data }
    if let reason = reason(transformer, { _ = try $0.data(of: value) }) { throw error(reason) }
    guard let transformed else { return nil }
    throw error(
      "\(name) turned a \(type(of: value)) into a \(type(of: transformed)), not into data")
  }

  /// The value that stored bytes encode.
  package func decode(_ data: Data) throws -> Any? {
    let transformer = try transformer()
    guard let archives = transformer as? any ArchiveTransformer else {
      guard type(of: transformer).allowsReverseTransformation() else {
        throw error("\(name) does not allow reverse transformation, which reading needs")
      }
      return transformer.reverseTransformedValue(data)
    }
    if let value = archives.transformedValue(data) { return value }
    if let reason = reason(transformer, { _ = try $0.value(of: data) }) { throw error(reason) }
    return nil
  }

  // MARK: Transformer

  var name: String {
    attribute.valueTransformerName.flatMap { $0.isEmpty ? nil : $0 } ?? "NSKeyedUnarchiveFromData"
  }

  private func transformer() throws -> ValueTransformer {
    if let transformer = ValueTransformerRegistry.shared[NSValueTransformerName(name)] {
      return transformer
    }
    throw error(
      "no value transformer is registered as \(name), and there is no transformer class of this name. Call ValueTransformer.setValueTransformer(_:forName:) before the store is used"
    )
  }

  // MARK: Errors

  private func reason(
    _ transformer: ValueTransformer, _ body: (any ArchiveTransformer) throws -> Void
  ) -> String? {
    guard let archives = transformer as? any ArchiveTransformer else { return nil }
    do {
      try body(archives)
      return nil
    } catch {
      return (error as? KeyedValues.Failure)?.message ?? "\(error)"
    }
  }

  private func error(_ reason: String) -> NSError {
    let entity = attribute.entity.name ?? "an entity without a name"
    return cocoaError(
      NSCoreDataError, "The value of \(entity).\(attribute.name) cannot be transformed: \(reason).",
      ["entity": entity, NSValidationKeyErrorKey: attribute.name])
  }
}
