package import Foundation
import ManagedObjectModel

/// What is known of bytes that should be the value of a transformable attribute.
package enum TransformedBytes {
  /// A value can be made of them.
  case sound
  /// Only another program can tell, and why.
  case unknown(String)
  /// No value can be made of them, and why.
  case damaged(String)
}

extension AttributeTransformer {
  /// Tells whether a value can be made of bytes that may be damaged.
  ///
  /// Of objects in archives only those are made whose classes are read here: Foundation's
  /// unarchiver ends the program at some damaged archives.
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
    // A subclass of an application's own may read other forms too.
    if case .damaged = judged, archives.transformedValue(data) != nil { return .sound }
    return judged
  }
}

extension KeyedValues {
  /// How an archive begins that `NSArchiver` made, which nobody but Apple's frameworks reads.
  private static let formerArchive = Data([4, 11]) + Data("streamtyped".utf8)

  /// Tells whether an archive can be read.
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
