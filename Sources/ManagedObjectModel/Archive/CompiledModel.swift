package import Foundation

/// Reads and writes compiled models: `.mom` files, and `.momd` folders of several versions.
///
/// A `.mom` is a keyed archive (see `KeyedArchive`) of an `NSManagedObjectModel` (see
/// `ModelArchiveReader`). Files written here have the same form, so Apple's frameworks and this one
/// read each other's files.
///
/// The optimized form `.omo` is private to Apple and not read; Apple's compiler also writes the
/// `.mom` of each version.
package enum CompiledModel {
  /// The model of a `.mom` file, or the current model of a `.momd` folder.
  package static func read(contentsOf url: URL) throws(ModelArchiveError) -> NSManagedObjectModel {
    if url.pathExtension == "momd" || isFolder(url) {
      return try CompiledModelBundle(at: url).currentModel()
    }
    return try read(file: url)
  }

  /// The named version of a `.momd` folder.
  package static func read(version name: String, ofBundleAt url: URL) throws(ModelArchiveError)
    -> NSManagedObjectModel
  {
    try CompiledModelBundle(at: url).model(ofVersion: name)
  }

  /// The model of the bytes of a `.mom` file.
  package static func read(_ data: Data) throws(ModelArchiveError) -> NSManagedObjectModel {
    try ModelArchiveReader.read([UInt8](data))
  }

  /// Every version of a `.momd` folder.
  package static func versions(ofBundleAt url: URL) throws(ModelArchiveError) -> CompiledModelBundle
  {
    try CompiledModelBundle(at: url)
  }

  /// The bytes of a `.mom` file of a model.
  ///
  /// Equal models produce equal bytes.
  package static func write(_ model: NSManagedObjectModel) throws(ModelArchiveError) -> Data {
    Data(try ModelArchiver.write(model, form: .compiled))
  }

  /// Writes a `.momd` folder with a file for every version and a `VersionInfo.plist`.
  ///
  /// The folder must not exist, or must be empty.
  package static func writeBundle(
    versions: [(name: String, model: NSManagedObjectModel)], current: String, to url: URL
  ) throws {
    try CompiledModelBundle.write(versions, current: current, to: url)
  }

  static func read(file url: URL) throws(ModelArchiveError) -> NSManagedObjectModel {
    do {
      return try read(contents(of: url, maximumBytes: Limits.archiveBytes))
    } catch {
      var located = error
      located.file = located.file ?? url.path
      throw located
    }
  }

  static func contents(of url: URL, maximumBytes: Int) throws(ModelArchiveError) -> Data {
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      guard (attributes[.size] as? NSNumber)?.intValue ?? 0 <= maximumBytes else {
        throw ModelArchiveError(
          .limit, "The file is larger than the \(maximumBytes) bytes that are read.", file: url.path
        )
      }
      return try Data(contentsOf: url)
    } catch let error as ModelArchiveError {
      throw error
    } catch {
      throw ModelArchiveError(
        .unreadable, "The file cannot be read: \(error.localizedDescription)", file: url.path)
    }
  }

  private static func isFolder(_ url: URL) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType)
      == .typeDirectory
  }
}
