import Foundation
import PredicateLanguage
import Synchronization

// Classes that behave like managed object classes, with accessors over named storage and a probe
// mode.

/// The properties that one probing has read.
final class Probing: Sendable {
  private let reads = Mutex<[String]>([])

  var paths: [String] { reads.withLock { $0 } }

  func record(_ path: String) { reads.withLock { $0.append(path) } }
}

/// An object that stores its properties in a dictionary, as a managed object stores them in its
/// row.
class Record: NSObject, KeyPathProbeable {
  var values: [String: Any] = [:]
  private var probing: Probing?
  private var path = ""

  required override init() {}

  static func propertyPaths(readBy body: (Any) -> Void) -> [String] {
    let probing = Probing()
    body(makeProbe(of: probing, at: ""))
    return probing.paths
  }

  private static func makeProbe(of probing: Probing, at path: String) -> Self {
    let probe = Self()
    probe.probing = probing
    probe.path = path
    return probe
  }

  /// The value of an attribute.
  func read<Value>(_ key: String, _ placeholder: Value) -> Value {
    probing?.record(path + key)
    return values[key] as? Value ?? placeholder
  }

  /// The other object of a to-one relationship.
  func readOther<Other: Record>(_ key: String) -> Other? {
    guard let probing else { return values[key] as? Other }
    probing.record(path + key)
    return Other.makeProbe(of: probing, at: path + key + ".")
  }
}

class Author: Record {
  var name: String? {
    get { read("name", nil as String?) }
    set { values["name"] = newValue }
  }
  var age: Int {
    get { read("age", 0) }
    set { values["age"] = newValue }
  }
  var mentor: Author? {
    get { readOther("mentor") }
    set { values["mentor"] = newValue }
  }
}

class Post: Record {
  var title: String {
    get { read("title", "") }
    set { values["title"] = newValue }
  }
  var summary: String? {
    get { read("summary", nil as String?) }
    set { values["summary"] = newValue }
  }
  var score: Int {
    get { read("score", 0) }
    set { values["score"] = newValue }
  }
  var rating: Double {
    get { read("rating", 0) }
    set { values["rating"] = newValue }
  }
  var bonus: Int? {
    get { read("bonus", nil as Int?) }
    set { values["bonus"] = newValue }
  }
  var isDone: Bool {
    get { read("isDone", false) }
    set { values["isDone"] = newValue }
  }
  var date: Date? {
    get { read("date", nil as Date?) }
    set { values["date"] = newValue }
  }
  var author: Author? {
    get { readOther("author") }
    set { values["author"] = newValue }
  }
  var reviewers: [Author] {
    get { read("reviewers", []) }
    set { values["reviewers"] = newValue }
  }
  var readers: Set<Author> {
    get { read("readers", []) }
    set { values["readers"] = newValue }
  }
  var marks: [Int] {
    get { read("marks", []) }
    set { values["marks"] = newValue }
  }

  /// Computed properties over one and over two properties.
  var isUntitled: Bool { title.isEmpty }
  var heading: String { title + (summary ?? "") }
  var constant: Int { 7 }
}

/// A subclass whose key paths may start at itself.
final class Draft: Post {
  var revision: Int {
    get { read("revision", 0) }
    set { values["revision"] = newValue }
  }
}

extension Record: KeyValueCoding {
  func value(forKey key: String) -> Any? { values[key] }

  func hasValue(forKey key: String) -> Bool { true }
}
