import Foundation
import ManagedObjectModel
import ObjectRows

/// Converts results to the request's result type.
enum FetchResults {
  /// Casts objects without copying them.
  ///
  /// Each class is checked once.
  static func cast<T>(objects: [NSManagedObject], to type: T.Type) -> [T] {
    guard let wanted = T.self as? NSManagedObject.Type else { return cast(objects, to: type) }
    if wanted == NSManagedObject.self { return unsafe unsafeBitCast(objects, to: [T].self) }
    var checked: NSManagedObject.Type?
    for object in objects {
      let found = Swift.type(of: object)
      if found == checked { continue }
      guard found == wanted || object is T else { stop(found, wanted, object.entity.name) }
      checked = found
    }
    // Every element is of class T, and all arrays of class references have the same layout.
    return unsafe unsafeBitCast(objects, to: [T].self)
  }

  static func cast<T>(count: Int, to type: T.Type) -> [T] {
    if let counts = [count] as? [T] { return counts }
    return cast([NSNumber(value: count)], to: type)
  }

  /// Casts results of any kind.
  static func cast<T>(_ results: [some Any], to type: T.Type) -> [T] {
    if let cast = results as? [T] { return cast }
    return results.map { result in
      if let cast = result as? T { return cast }
      if let dictionary = result as? [String: Any],
        let cast = NSDictionary(dictionary: dictionary) as? T
      {
        return cast
      }
      stop(Swift.type(of: result), T.self, nil)
    }
  }

  private static func stop(_ found: Any.Type, _ wanted: Any.Type, _ entity: String?) -> Never {
    preconditionFailure(
      "A fetch request for \(wanted) found \(found)\(entity.map { " of the entity \($0)" } ?? ""). Give the request the type of its results: objects of the class of the entity, NSManagedObjectID, NSDictionary or NSNumber, as resultType says."
    )
  }
}
