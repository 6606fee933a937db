import Foundation
import PredicateLanguage
import PropertyLists

/// Keyed archives, in Apple's form, of predicates, expressions and objects that contain them.
///
/// In an archive of Foundation's archiver, such an archive is data under one key.
///
/// Foundation's archiver on this platform writes equal objects once, even if one contains the
/// other, and ignores the names that a program gives to classes. Its unarchiver stops the program
/// if a nested object has an unexpected class. So a predicate adds the bytes of its own archive
/// (see `KeyedArchive`) instead of objects.
enum PredicateArchive {
  /// The key of the archive's bytes in an archive of Foundation's archiver.
  static let archiveKey = "ParhelionKeyedArchive"

  typealias Adding = (inout KeyedArchiveBuilder, ArchivePath) throws(ModelArchiveError) ->
    PropertyList

  /// An archive with one root.
  static func data(_ add: Adding) throws(ModelArchiveError) -> Data {
    var builder = KeyedArchiveBuilder()
    let root = try add(&builder, ArchivePath("root"))
    return Data(try builder.finish(root: root))
  }

  static func data(of predicate: NSPredicate) throws(ModelArchiveError) -> Data {
    try data { (builder, path) throws(ModelArchiveError) in
      try PredicateArchiver.add(predicate, to: &builder, at: path)
    }
  }

  /// The root of an archive.
  static func root(of data: Data) throws(ModelArchiveError) -> ArchivedObject {
    try KeyedArchive([UInt8](data)).root()
  }

  /// The predicate in an archive; it cannot be evaluated until `allowEvaluation()` is called.
  static func predicate(in data: Data) throws(ModelArchiveError) -> NSPredicate {
    let predicate = try PredicateArchiveReader.read(root(of: data))
    predicate.restrictEvaluation()
    return predicate
  }

  /// The expression in an archive; it cannot be evaluated until `allowEvaluation()` is called.
  static func expression(in data: Data) throws(ModelArchiveError) -> PredicateLanguage.NSExpression
  {
    let expression = try CompiledMapping.readExpression(data)
    expression.restrictEvaluation()
    return expression
  }

  /// The public error for an archive that cannot be read or written.
  static func publicError(_ error: ModelArchiveError) -> CocoaError {
    let code: CocoaError.Code =
      error.code == .notArchivable ? .coderInvalidValue : .coderReadCorrupt
    return CocoaError(code, userInfo: [NSLocalizedDescriptionKey: error.description])
  }
}

extension NSCoder {
  /// Writes the bytes of an archive.
  ///
  /// A value without an archived form stops the program with the reason; Apple's platforms raise an
  /// exception.
  func encodeArchive(_ name: String, _ make: () throws(ModelArchiveError) -> Data) {
    precondition(allowsKeyedCoding, "A \(name) can only be written to a keyed archive.")
    do {
      let data = try make()
      unsafe data.withUnsafeBytes { bytes in
        unsafe encodeBytes(
          bytes.bindMemory(to: UInt8.self).baseAddress, length: bytes.count,
          forKey: PredicateArchive.archiveKey)
      }
    } catch {
      preconditionFailure("A \(name) cannot be encoded: \(error)")
    }
  }

  /// Reads the value in the bytes of an archive; if that fails, fails the coder and returns nil.
  func decodeArchive<Value>(_ read: (Data) throws(ModelArchiveError) -> Value) -> Value? {
    let data =
      allowsKeyedCoding
      ? unsafe withDecodedUnsafeBufferPointer(forKey: PredicateArchive.archiveKey) { bytes in
        unsafe bytes.map { unsafe Data($0) }
      } : nil
    do {
      if let data { return try read(data) }
      failReading("The archive has no value of this platform.")
    } catch {
      failReading("\(error)")
    }
    return nil
  }

  private func failReading(_ reason: String) {
    failWithError(CocoaError(.coderReadCorrupt, userInfo: [NSDebugDescriptionErrorKey: reason]))
  }
}
