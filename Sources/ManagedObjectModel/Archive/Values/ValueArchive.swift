package import Foundation

/// A value of Foundation's classes as a keyed archive: what the stores of transformable attributes
/// hold.
///
/// The same value always gives the same bytes: keys of dictionaries and elements of sets are
/// written in an order.
package struct ValueArchive {
  private let archive: KeyedArchive

  /// Reads the objects of an archive, without making values of them.
  package init(_ data: Data) throws {
    archive = try KeyedArchive([UInt8](data))
  }

  /// The archive of a value.
  ///
  /// Nil where the value, or one inside of it, is of another class than those of property lists,
  /// `UUID` and `URL`.
  package static func data(of value: Any) -> Data? {
    var builder = KeyedArchiveBuilder()
    guard let root = try? ValueArchiver.add(value, to: &builder, at: ArchivePath("root")),
      let bytes = try? builder.finish(root: root)
    else { return nil }
    return Data(bytes)
  }

  /// The names of the classes of the archive's objects, in the order of the archive: each with
  /// those of its superclasses, and of those that may stand for it in a program that lacks it.
  package var classes: [(name: String, lineage: [String], hints: [String])] {
    archive.classDescriptions.map { ($0.name, $0.lineage, $0.hints) }
  }

  /// Whether `value()` knows the classes of all of the archive's objects.
  package var isPlain: Bool {
    classes.allSatisfy { name, lineage, _ in
      if Self.plainClasses.contains(name) { return true }
      // A class that this process lacks is read as the nearest one that is known.
      return NSClassFromString(name) == nil && !Self.plainClasses.isDisjoint(with: lineage)
    }
  }

  private static let plainClasses: Set<String> = [
    "NSArray", "NSData", "NSDate", "NSDecimalNumber", "NSDecimalNumberPlaceholder", "NSDictionary",
    "NSMutableArray",
    "NSMutableData", "NSMutableDictionary", "NSMutableSet", "NSMutableString", "NSNull", "NSSet",
    "NSString", "NSURL",
    "NSUUID",
  ]

  /// The value.
  ///
  /// Objects of other classes than the plain ones are `OpaqueArchivedObject`. What can be changed
  /// is so for the outermost object only.
  package func value() throws -> Any? {
    let root = try archive.rootValue()
    guard let value = try root.decoded() else { return nil }
    guard case .object(let object) = root else { return value }
    return object.className.hasPrefix("NSMutable")
      ? ((value as? NSObject) as? any NSMutableCopying)?.mutableCopy() ?? value : value
  }
}
