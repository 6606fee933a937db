package import Foundation
import ManagedObjectModel

/// The result of checking the bytes of a transformable attribute.
package enum TransformedBytes {
  /// The bytes can be decoded.
  case decodable
  /// Only another program can decide, with the reason.
  case unknown(String)
  /// The bytes cannot be decoded, with the reason.
  case damaged(String)
}

extension AttributeTransformer {
  /// Checks if bytes, which may be damaged, can be decoded.
  ///
  /// An archive is decoded only if `ValueArchive` can decode all of its classes: Foundation's
  /// unarchiver stops the program at some damaged archives.
  package func check(_ data: Data) -> TransformedBytes {
    guard let transformer = ValueTransformerRegistry.shared[NSValueTransformerName(name)] else {
      return .unknown("no value transformer is registered as \(name)")
    }
    guard let archives = transformer as? any ArchiveTransformer else {
      guard type(of: transformer).allowsReverseTransformation() else {
        return .unknown("\(name) does not decode bytes")
      }
      return transformer.reverseTransformedValue(data) == nil
        ? .damaged("\(name) cannot decode it") : .decodable
    }
    let allowed = (type(of: archives) as? NSSecureUnarchiveFromDataTransformer.Type)?
      .allowedTopLevelClasses
    let result = KeyedValues.check(data, allowing: allowed)
    // An application's subclass may read other forms too.
    if case .damaged = result, archives.transformedValue(data) != nil { return .decodable }
    return result
  }
}

extension KeyedValues {
  /// The beginning of an `NSArchiver` archive, which only Apple's frameworks can read.
  private static let formerArchive = Data([4, 11]) + Data("streamtyped".utf8)

  /// Checks if an archive can be read.
  static func check(_ data: Data, allowing allowed: [AnyClass]?) -> TransformedBytes {
    if data.starts(with: formerArchive) { return .unknown("it is an archive of NSArchiver") }
    do {
      let archive = try ValueArchive(data)
      try checkClasses(of: archive, allowed)
      guard archive.isPlain else {
        return .unknown("its archive holds objects of the application's own classes")
      }
      _ = try archive.value()
      return .decodable
    } catch let failure as Failure {
      return .damaged(failure.message)
    } catch {
      return .damaged("its \(data.count) bytes are not a readable keyed archive: \(error)")
    }
  }
}
