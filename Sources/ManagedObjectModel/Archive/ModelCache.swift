import Compression
package import Foundation

/// The model in a store's `Z_MODELCACHE.Z_CONTENT`: a raw DEFLATE stream of the archive of the
/// model that the store was last written with.
package enum ModelCache {
  /// Decodes the model from the column's bytes.
  package static func decode(_ data: Data) throws(ModelArchiveError) -> NSManagedObjectModel {
    let archive: Data
    do {
      archive = try RawDeflate.inflate(data, maximumOutputBytes: Limits.modelCacheBytes)
    } catch {
      throw ModelArchiveError(
        .unreadable, "The store's model cache cannot be decompressed: \(error)")
    }
    return try CompiledModel.read(archive)
  }

  /// Encodes a model for the column.
  package static func encode(_ model: NSManagedObjectModel) throws(ModelArchiveError) -> Data {
    let archive = Data(try ModelArchiver.write(model, form: .cache))
    do {
      return try RawDeflate.deflate(archive)
    } catch {
      throw ModelArchiveError(.notArchivable, "The model cache cannot be compressed: \(error)")
    }
  }
}
