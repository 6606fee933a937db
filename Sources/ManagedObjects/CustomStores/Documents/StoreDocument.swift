import Foundation

/// The contents of a binary or XML store, with the names in the file instead of model objects.
struct StoreDocument {
  var uuid: String
  /// The number of the last object that was created.
  var lastNumber: Int64
  /// The metadata, without UUID and type.
  var metadata: [String: Any]
  /// The names of entities and properties that an XML store writes with their own case.
  ///
  /// They differ only in case from other names, or the file has them in another case than usual.
  var exactNames: Set<String> = []
  var objects: [DocumentObject] = []

  /// The `lastNumber` of a new store, as in Apple's stores.
  static let firstNumber: Int64 = 101
}

/// An object in a document.
struct DocumentObject {
  var entity: String
  let name: DocumentName
  var attributes: [(name: String, value: DocumentValue)] = []
  var relationships: [DocumentRelationship] = []
}

/// The name of an object in a document: usually a number, or a text that another program chose.
enum DocumentName: Hashable {
  case number(Int64)
  case text(String)

  init(_ text: String) {
    let digits = text.hasPrefix("z") ? text.dropFirst() : ""
    if let number = Int64(digits), String(number) == digits {
      self = .number(number)
    } else {
      self = .text(text)
    }
  }

  init(reference: Any) {
    self = (reference as? NSNumber).map { .number($0.int64Value) } ?? .text("\(reference)")
  }

  /// The name in the file.
  var text: String {
    switch self {
    case .number(let number): "z\(number)"
    case .text(let text): text
    }
  }

  /// The reference of the object in the store.
  var reference: Any {
    switch self {
    case .number(let number): NSNumber(value: number)
    case .text(let text): text
    }
  }
}

/// The value of an attribute in a document.
struct DocumentValue: Hashable {
  enum Content: Hashable {
    case text(String)
    case data(Data)
  }

  /// The type that the file names, such as `int16`.
  let type: String
  let content: Content
}

/// A relationship of an object in a document.
struct DocumentRelationship {
  var name: String
  /// The minimum and maximum number of destinations, such as `0/1`; a maximum of 0 is unlimited.
  let cardinality: String
  /// The name of the destination entity.
  var destination: String
  var members: [DocumentName]
}

/// A form of a document in a file.
protocol DocumentForm {
  /// The store type, for messages.
  static var type: String { get }
  /// Reads a document.
  ///
  /// - Throws: An error if the bytes are not of this form.
  static func read(_ bytes: [UInt8]) throws(DocumentError) -> StoreDocument
  static func write(_ document: StoreDocument) throws(DocumentError) -> Data
}

/// The reason why a document cannot be read or written.
struct DocumentError: Error {
  /// A sentence that says what is wrong.
  let problem: String
  /// A sentence that says what to do.
  let remedy: String

  init(_ problem: String, _ remedy: String) {
    (self.problem, self.remedy) = (problem, remedy)
  }
}
