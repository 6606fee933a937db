public import Foundation
import PredicateLanguage

/// Archives of fetch requests, with names in place of the entity and its properties.
///
/// ```swift
/// let data = try NSKeyedArchiver.archivedData(
///   withRootObject: request, requiringSecureCoding: true)
/// let saved = try NSKeyedUnarchiver.unarchivedObject(
///   ofClass: NSFetchRequest<any NSFetchRequestResult>.self, from: data)
/// ```
///
/// The stores that a request is limited to are not archived.
extension NSFetchRequest: NSSecureCoding {
  /// Whether requests can be decoded from archives of unknown origin: true.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the request to a keyed archive.
  ///
  /// A predicate or sort descriptor without an archived form stops the program, as an exception
  /// does on Apple's platforms. `keyedArchive()` throws instead.
  public func encode(with coder: NSCoder) {
    coder.encodeArchive("fetch request") { () throws(ModelArchiveError) in
      try FetchRequestArchive.data(of: specification)
    }
  }

  /// The request as a keyed archive, which `init(keyedArchive:)` reads.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: `CocoaError.coderInvalidValue` if a predicate or a sort descriptor has no archived
  ///   form.
  public func keyedArchive() throws -> Data {
    do {
      return try FetchRequestArchive.data(of: specification)
    } catch {
      throw PredicateArchive.publicError(error)
    }
  }

  /// Reads a request with any type of results from the data that `keyedArchive()` returned.
  ///
  /// Parhelion's addition. An `NSKeyedUnarchiver` decodes an `NSFetchRequest<any
  /// NSFetchRequestResult>` only.
  ///
  /// Its predicates cannot be evaluated until `allowEvaluation()` is called. Fetches need no
  /// permission.
  ///
  /// - Throws: `CocoaError.coderReadCorrupt`.
  public convenience init(keyedArchive data: Data) throws {
    self.init()
    do {
      specification = try FetchRequestArchive.specification(in: data)
    } catch {
      throw PredicateArchive.publicError(error)
    }
  }

  /// Reads the parts of a request; returns false after the coder has failed.
  func decode(from coder: NSCoder) -> Bool {
    let decoded = coder.decodeArchive { data throws(ModelArchiveError) in
      try FetchRequestArchive.specification(in: data)
    }
    guard let decoded else { return false }
    specification = decoded
    return true
  }
}
