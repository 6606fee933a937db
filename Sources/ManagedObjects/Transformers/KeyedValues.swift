import Foundation
import ManagedObjectModel

/// Encodes and decodes values as keyed archives.
///
/// `ValueArchive` handles property-list values, UUIDs and URLs, and bounds the work. Foundation
/// handles everything else.
enum KeyedValues {
  /// The reason why a value cannot be archived or an archive cannot be read.
  ///
  /// Callers add the attribute's name.
  struct Failure: Error {
    let message: String
  }

  /// The value in an archive.
  ///
  /// - Parameter allowed: The classes that the archive may contain; nil for any. Objects of allowed
  ///   classes may contain property-list values, UUIDs and URLs as well.
  static func value(of data: Data, allowing allowed: [AnyClass]?) throws -> Any? {
    let archive: ValueArchive
    do {
      archive = try ValueArchive(data)
    } catch {
      throw Failure(message: "its \(data.count) bytes are not a keyed archive")
    }
    try checkClasses(of: archive, allowed)
    guard archive.isPlain else {
      if allowed != nil {
        let names = archive.classes.flatMap { [$0.name] + $0.hints }
        try names.compactMap(knownClass).forEach(checkSecure)
      }
      return try foundationValue(of: data, allowed)
    }
    do {
      return try archive.value()
    } catch {
      throw Failure(message: "its archive cannot be read: \(error)")
    }
  }

  /// The archive of a value.
  static func data(of value: Any, allowing allowed: [AnyClass]?) throws -> Data {
    if let allowed { try check(value, allowed) }
    if let data = ValueArchive.data(of: value) { return data }
    let object = value as AnyObject
    guard object is any NSCoding else {
      throw Failure(message: "\(type(of: value)) cannot be archived. Let it adopt NSSecureCoding")
    }
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    let inspector = ArchiveInspector { object in
      if let allowed {
        try checkClass(of: object, allowed + plainClasses)
        try checkSecure(type(of: object))
      }
      try checkName(of: object)
    }
    archiver.delegate = inspector
    archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
    if let failure = inspector.failure { throw failure }
    return archiver.encodedData
  }

  /// Checks each object before it is archived.
  private final class ArchiveInspector: NSKeyedArchiverDelegate {
    private let check: (AnyObject) throws -> Void
    private(set) var failure: (any Error)?

    init(_ check: @escaping (AnyObject) throws -> Void) { self.check = check }

    func archiver(_ archiver: NSKeyedArchiver, willEncode object: Any) -> Any? {
      do {
        if failure == nil { try check(object as AnyObject) }
      } catch {
        failure = error
      }
      // Foundation traps if a member of a collection becomes nil.
      return failure == nil ? object : NSNull()
    }

    func archiver(_ archiver: NSKeyedArchiver, didEncode object: Any?) {}
    func archiver(_ archiver: NSKeyedArchiver, willReplace old: Any?, withObject new: Any?) {}
    func archiverWillFinish(_ archiver: NSKeyedArchiver) {}
    func archiverDidFinish(_ archiver: NSKeyedArchiver) {}
  }

  // MARK: Allowed classes

  static func checkClasses(of archive: ValueArchive, _ allowed: [AnyClass]?) throws {
    try check(archive.valueClasses + archive.ownClasses, allowed)
  }

  private static func check(
    _ classes: [(name: String, lineage: [String], hints: [String])], _ allowed: [AnyClass]?
  ) throws {
    guard let allowed else { return }
    for (name, lineage, hints) in classes {
      let refused =
        isAllowed(name, lineage, allowed)
        ? hints.first { knownClass($0) != nil && !isAllowed($0, [$0], allowed) } : name
      guard let refused else { continue }
      throw Failure(
        message:
          "its archive holds an object of \(refused), which the transformer does not allow. Add the class to allowedTopLevelClasses"
      )
    }
  }

  /// Whether an archive may name a class.
  ///
  /// A class that this process lacks needs an allowed superclass in the archive. For a class that
  /// it has, only the real superclasses count.
  private static func isAllowed(_ name: String, _ lineage: [String], _ allowed: [AnyClass]) -> Bool
  {
    if let named = knownClass(name) { return allowed.contains { isKind(named, of: $0) } }
    return lineage.contains { ancestor in
      NSClassFromString(ancestor).map { found in allowed.contains { $0 == found } } ?? false
    }
  }

  /// The class that Foundation decodes for a name.
  private static func knownClass(_ name: String) -> AnyClass? {
    NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
  }

  /// The classes that objects of allowed classes may contain.
  private static let plainClasses: [AnyClass] = [
    NSArray.self, NSData.self, NSDate.self, NSDictionary.self, NSNull.self, NSNumber.self,
    NSSet.self, NSString.self, NSURL.self, NSUUID.self,
  ]

  private static func checkClass(of value: Any, _ allowed: [AnyClass]) throws {
    guard allowed.contains(where: { isKind(value as AnyObject, of: $0) }) else {
      throw Failure(
        message:
          "the transformer does not allow values of \(type(of: value)). Add the class to allowedTopLevelClasses"
      )
    }
  }

  /// Checks a value and the members of its collections.
  private static func check(_ value: Any, _ allowed: [AnyClass]) throws {
    try checkClass(of: value, allowed)
    switch value as AnyObject {
    case let array as NSArray: for member in array { try check(member, allowed) }
    case let set as NSSet: for member in set { try check(member, allowed) }
    case let dictionary as NSDictionary:
      for (key, member) in dictionary {
        try check(key, allowed)
        try check(member, allowed)
      }
    default: break
    }
  }

  private static func isKind(_ object: AnyObject, of allowed: AnyClass) -> Bool {
    // Foundation's Booleans are numbers only by bridging.
    if allowed == NSNumber.self, object is NSNumber { return true }
    return isKind(type(of: object) as AnyClass, of: allowed)
  }

  private static func isKind(_ type: AnyClass, of allowed: AnyClass) -> Bool {
    var candidate: AnyClass? = type
    while let next = candidate, next != allowed { candidate = _getSuperclass(next) }
    return candidate != nil
  }

  private static func checkSecure(_ type: AnyClass) throws {
    guard (type as? any NSSecureCoding.Type)?.supportsSecureCoding == true else {
      throw Failure(
        message:
          "\(type) has no secure coding. Let it adopt NSSecureCoding and return true from supportsSecureCoding"
      )
    }
  }

  /// Throws for a class nested in another type, at which Foundation's archiver would trap.
  private static func checkName(of object: AnyObject) throws {
    let type: AnyClass = type(of: object)
    guard NSKeyedArchiver.classNameForClass(type) == nil,
      !String(reflecting: type).hasPrefix("Foundation.")
    else {
      return
    }
    guard String(reflecting: type).count(where: { $0 == "." }) > 1 else { return }
    throw Failure(
      message:
        "\(String(reflecting: type)) is nested in another type and has no archive name. Move it out, or call setClassName(_:for:) and setClass(_:forClassName:)"
    )
  }

  // MARK: Foundation's archives

  private static func foundationValue(of data: Data, _ allowed: [AnyClass]?) throws -> Any? {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    defer { unarchiver.finishDecoding() }
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    // With secure coding, Foundation traps if a class decodes a value of another class than it
    // archived. The classes of all objects have been checked.
    unarchiver.requiresSecureCoding = false
    let value =
      if let allowed {
        unarchiver.decodeObject(of: allowed, forKey: NSKeyedArchiveRootObjectKey)
      } else {
        unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
      }
    if let error = unarchiver.error {
      throw Failure(
        message:
          "its archive cannot be read: \((error as NSError).userInfo["NSDebugDescription"] ?? error)"
      )
    }
    return value
  }
}
