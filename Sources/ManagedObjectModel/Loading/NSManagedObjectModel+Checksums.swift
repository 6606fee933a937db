public import Foundation

extension NSManagedObjectModel {
  /// Returns the version checksum of every version of a compiled model, a `.momd` folder, by the
  /// version's name.
  ///
  /// If a folder of an older compiler contains no checksums, they are computed from the versions.
  public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
    let bundle = try CompiledModel.versions(ofBundleAt: modelURL)
    let stated = bundle.info.versionChecksums
    var checksums: [String: String] = [:]
    for name in bundle.versionNames {
      checksums[name] = try stated[name] ?? bundle.model(ofVersion: name).versionChecksum
    }
    return checksums
  }
}
