package import Foundation
package import PredicateLanguage

/// Reads and writes compiled mapping models: `.cdm` files.
///
/// A `.cdm` is a keyed archive (see `KeyedArchive`) of an `NSMappingModel` (see
/// `MappingArchiveReader`).
package enum CompiledMapping {
  /// Reads the mapping model of a `.cdm` file.
  package static func read(contentsOf url: URL) throws(ModelArchiveError) -> NSMappingModel {
    do {
      return try read(CompiledModel.contents(of: url, maximumBytes: Limits.archiveBytes))
    } catch {
      var located = error
      located.file = located.file ?? url.path
      throw located
    }
  }

  /// Decodes a mapping model from the bytes of a `.cdm` file.
  package static func read(_ data: Data) throws(ModelArchiveError) -> NSMappingModel {
    try MappingArchiveReader.read([UInt8](data))
  }

  /// Encodes a mapping model as the bytes of a `.cdm` file.
  ///
  /// Equal mapping models produce equal bytes.
  package static func write(_ mapping: NSMappingModel) throws(ModelArchiveError) -> Data {
    Data(try MappingArchiver.write(mapping))
  }

  /// Decodes an expression from its keyed archive, the form in the sources of mapping models.
  package static func readExpression(_ data: Data) throws(ModelArchiveError)
    -> PredicateLanguage.NSExpression
  {
    try ExpressionArchiveReader.read(KeyedArchive([UInt8](data)).root())
  }

  /// Encodes an expression as a keyed archive.
  package static func writeExpression(_ expression: PredicateLanguage.NSExpression)
    throws(ModelArchiveError) -> Data
  {
    var builder = KeyedArchiveBuilder()
    let root = try ExpressionArchiver.add(expression, to: &builder, at: ArchivePath("root"))
    return Data(try builder.finish(root: root))
  }
}
