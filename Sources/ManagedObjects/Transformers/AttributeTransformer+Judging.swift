package import Foundation
import ManagedObjectModel

/// The result of checking the bytes of a transformable attribute.
package enum TransformedBytes {
  /// The bytes can be decoded.
  case sound
  /// Only another program can decide, with the reason.
  case unknown(String)
  /// The bytes cannot be decoded, with the reason.
  case damaged(String)
}

extension AttributeTransformer {
  /// Checks if bytes, which may be damaged, can be decoded.
  ///
  /// Objects in archives are decoded only if their classes are read here: Foundation's unarchiver
  /// stops the program at some damaged archives.
  package func judge(_ data: Data) -> TransformedBytes {
    guard let transformer = ValueTransformerRegistry.shared[NSValueTransformerName(name)] else {
      return .unknown("no value transformer is registered as \(name)")
    }
    guard let archives = transformer as? any ArchiveTransformer else {
      guard type(of: transformer).allowsReverseTransformation() else {
        return .unknown("\(name) makes no values of bytes")
      }
      return transformer.reverseTransformedValue(data) == nil
        ? .damaged("\(name) makes nothing of it") : .sound
    }
    let allowed = (type(of: archives) as? NSSecureUnarchiveFromDataTransformer.Type)?
      .allowedTopLevelClasses
    let judged = KeyedValues.judge(data, allowing: allowed)
    // An application's subclass may read other forms too.
    if case .damaged = judged, archives.transformedValue(data) != nil { return .sound }
    return judged
  }
}

extension KeyedValues {
  /// The beginning of an `NSArchiver` archive, which only Apple's frameworks can read.
  private static let formerArchive = Data([4, 11]) + Data("streamtyped".utf8)

  /// Checks if an archive can be read.
  static func judge(_ data: Data, allowing allowed: [AnyClass]?) -> TransformedBytes {
    if data.starts(with: formerArchive) { return .unknown("it is an archive of NSArchiver") }
    do {
      let archive = try ValueArchive(data)
      try check(archive.classes, allowed)
      guard archive.isPlain else {
        return .unknown("its archive holds objects of the application's own classes")
      }
      _ = try archive.value()
      return .sound
    } catch let problem as Problem {
      return .damaged(problem.message)
    } catch {
      return .damaged("its \(data.count) bytes are no keyed archive that can be read: \(error)")
    }
  }
}
