import Foundation
import ManagedObjectModel

/// Encodes values as keyed archives, and reports why it fails.
///
/// Property-list values, UUIDs and URLs are encoded and decoded here, within limits and always to
/// the same bytes. Foundation handles everything else.
enum KeyedValues {
  /// The reason why a value cannot be archived or an archive cannot be read.
  ///
  /// Callers add entity and attribute.
  struct Failure: Error {
    let message: String
  }

  /// The value in an archive.
  ///
  /// - Parameter allowed: The classes that the archive may contain; nil for any.
  static func value(of data: Data, allowing allowed: [AnyClass]?) throws -> Any? {
    let archive: ValueArchive
    do {
      archive = try ValueArchive(data)
    } catch {
      throw Failure(message: "its \(data.count) bytes are not a keyed archive")
    }
    try check(archive.classes, allowed)
    guard archive.isPlain else {
      if allowed != nil {
        try archive.classes.compactMap { knownClass($0.name) }.forEach(checkSecure)
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
    if allowed != nil { try checkSecure(type(of: object)) }
    try checkName(of: object)
    return try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
  }

  // MARK: Allowed classes

  static func check(
    _ classes: [(name: String, lineage: [String], hints: [String])], _ allowed: [AnyClass]?
  ) throws {
    guard let allowed else { return }
    for (name, lineage, hints) in classes {
      let refused =
        isAllowed(name, lineage, allowed) ? hints.first { !isAllowed($0, [$0], allowed) } : name
      guard let refused else { continue }
      throw Failure(
        message:
          "its archive holds an object of \(refused), which the transformer does not allow. Add the class to allowedTopLevelClasses"
      )
    }
  }

  /// Whether an archive may name a class.
  ///
  /// For mutable classes and placeholders that this process lacks, an allowed superclass is
  /// sufficient. A class that the process has must be allowed itself, regardless of the
  /// superclasses in the archive.
  private static func isAllowed(_ name: String, _ lineage: [String], _ allowed: [AnyClass]) -> Bool
  {
    if let named = knownClass(name) { return allowed.contains { isKind(named, of: $0) } }
    return lineage.contains { ancestor in
      NSClassFromString(ancestor).map { found in allowed.contains { $0 == found } } ?? false
    }
  }

  /// The class whose objects Foundation creates for a name.
  private static func knownClass(_ name: String) -> AnyClass? {
    NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
  }

  private static func check(_ value: Any, _ allowed: [AnyClass]) throws {
    guard allowed.contains(where: { isKind(value as AnyObject, of: $0) }) else {
      throw Failure(
        message:
          "the transformer does not allow values of \(type(of: value)). Add the class to allowedTopLevelClasses"
      )
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

  /// Foundation's archiver stops the program for a class nested in another type, because it has no
  /// name for it.
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
        "\(String(reflecting: type)) is nested in another type, for which archives have no name. Move it out, or name it with NSKeyedArchiver.setClassName(_:for:)"
    )
  }

  // MARK: Foundation's archives

  private static func foundationValue(of data: Data, _ allowed: [AnyClass]?) throws -> Any? {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    defer { unarchiver.finishDecoding() }
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    unarchiver.requiresSecureCoding = allowed != nil
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
