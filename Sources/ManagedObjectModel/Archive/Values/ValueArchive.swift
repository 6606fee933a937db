package import Foundation

/// A keyed archive of a Foundation value: the stored form of transformable attributes.
///
/// Equal values produce equal bytes: keys of dictionaries and elements of sets are sorted.
package struct ValueArchive {
  private let archive: KeyedArchive

  /// Parses the objects of an archive, without decoding their values.
  package init(_ data: Data) throws {
    archive = try KeyedArchive([UInt8](data))
  }

  /// Archives a value.
  ///
  /// Returns nil if the value, or a value inside it, is not a property list value, a `UUID` or a
  /// `URL`.
  package static func data(of value: Any) -> Data? {
    var builder = KeyedArchiveBuilder()
    guard let root = try? ValueArchiver.add(value, to: &builder, at: ArchivePath("root")),
      let bytes = try? builder.finish(root: root)
    else { return nil }
    return Data(bytes)
  }

  /// The classes of the archive's objects, in the order of the archive, each with its superclasses
  /// and with substitutes for a program that lacks it.
  package var classes: [(name: String, lineage: [String], hints: [String])] {
    archive.classDescriptions.map { ($0.name, $0.lineage, $0.hints) }
  }

  /// The classes of the value and of the members of its collections, as in `classes`.
  package var valueClasses: [(name: String, lineage: [String], hints: [String])] {
    archive.classDescriptions(inside: { Self.isPlain($0.name, $0.lineage) })
      .map { ($0.name, $0.lineage, $0.hints) }
  }

  /// Whether `value()` can decode the classes of all of the archive's objects.
  package var isPlain: Bool { ownClasses.isEmpty }

  /// The classes that `value()` cannot decode, as in `classes`.
  package var ownClasses: [(name: String, lineage: [String], hints: [String])] {
    classes.filter { !Self.isPlain($0.name, $0.lineage) }
  }

  private static func isPlain(_ name: String, _ lineage: [String]) -> Bool {
    if plainClasses.contains(name) { return true }
    // A class that this process lacks is read as its nearest known superclass.
    return NSClassFromString(name) == nil && !plainClasses.isDisjoint(with: lineage)
  }

  private static let plainClasses: Set<String> = [
    "NSArray", "NSData", "NSDate", "NSDecimalNumber", "NSDecimalNumberPlaceholder", "NSDictionary",
    "NSMutableArray",
    "NSMutableData", "NSMutableDictionary", "NSMutableSet", "NSMutableString", "NSNull", "NSSet",
    "NSString", "NSURL",
    "NSUUID",
  ]

  /// Decodes the value.
  ///
  /// Objects of unknown classes become `OpaqueArchivedObject`. Only the outermost object can be
  /// mutable.
  package func value() throws -> Any? {
    let root = try archive.rootValue()
    guard let value = try root.decoded() else { return nil }
    guard case .object(let object) = root else { return value }
    return object.className.hasPrefix("NSMutable")
      ? ((value as? NSObject) as? any NSMutableCopying)?.mutableCopy() ?? value : value
  }
}
