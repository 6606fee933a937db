public import Foundation
public import ManagedObjectModel
import ObjectRows
import Synchronization

/// A reference to a model version, which is resolved when the model is first needed.
// Sendable: immutable except for the resolved model, which a mutex protects.
open class NSManagedObjectModelReference: NSObject, @unchecked Sendable {
  private let checksum: String
  private let place: Place
  private let resolved = Mutex<NSManagedObjectModel?>(nil)

  /// The place of the version's model.
  private enum Place {
    case model(NSManagedObjectModel)
    case file(URL)
    case name(String, Bundle?)
    case hashes([String: Data], Bundle?)
  }

  private init(_ place: Place, _ checksum: String) {
    self.place = place
    self.checksum = checksum
    super.init()
  }

  /// Creates a reference to a model.
  public convenience init(model: NSManagedObjectModel, versionChecksum: String) {
    self.init(.model(model), versionChecksum)
  }

  /// Creates a reference to a compiled model: a `.mom` file, or a version in a `.momd` folder.
  public convenience init(fileURL: URL, versionChecksum: String) {
    self.init(.file(fileURL), versionChecksum)
  }

  /// Creates a reference to a model version in a bundle, by the version's or the model's name.
  ///
  /// Nil and the main bundle include the models that are linked into the program.
  public convenience init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
    self.init(.name(modelName, bundle), versionChecksum)
  }

  /// Creates a reference to the model version in a bundle with the given hashes of entities.
  ///
  /// The keys of the hashes are the names of entities. Nil and the main bundle include the models
  /// that are linked into the program.
  public convenience init(
    entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String
  ) {
    let hashes = versionHash.compactMap { name, hash in
      (name.base as? String).flatMap { name in (hash as? Data).map { (name, $0) } }
    }
    self.init(.hashes(Dictionary(hashes) { first, _ in first }, bundle), versionChecksum)
  }

  /// The checksum of the version.
  open var versionChecksum: String { checksum }

  /// The model.
  ///
  /// The program stops with a message if the model is missing or has another checksum;
  /// ``resolve()`` throws the reason instead.
  open var resolvedModel: NSManagedObjectModel {
    do {
      return try resolve()
    } catch {
      preconditionFailure("NSManagedObjectModelReference.resolvedModel: \(error)")
    }
  }

  /// Returns the model.
  ///
  /// Parhelion's addition.
  ///
  /// It throws `NSManagedObjectModelReferenceNotFoundError` if the model is missing or has another
  /// checksum.
  public func resolve() throws -> NSManagedObjectModel {
    try throwingPublicErrors {
      if let model = resolved.withLock({ $0 }) { return model }
      let model = try found()
      resolved.withLock { $0 = model }
      return model
    }
  }

  private func found() throws -> NSManagedObjectModel {
    let candidates = try candidates()
    if let model = candidates.first(where: { $0.versionChecksum == checksum }) { return model }
    let others = candidates.map(\.versionChecksum).joined(separator: ", ")
    let what = candidates.isEmpty ? "there is no such model" : "its checksum is \(others)"
    throw StoreError(
      .modelReferenceNotFound,
      """
      The model version \(placeForMessages) with the checksum \(checksum) was not found: \
      \(what). Ship every version of the model, and compare the checksum with \
      NSManagedObjectModel.versionChecksum.
      """,
      context: ["versionChecksum": checksum])
  }

  private func candidates() throws -> [NSManagedObjectModel] {
    do {
      switch place {
      case .model(let model): return [model]
      case .file(let url): return try ModelVersions.versions(at: url)
      case .name(let name, let bundle): return try ModelVersions.versions(named: name, in: bundle)
      case .hashes(let hashes, let bundle):
        return try ModelVersions.all(in: bundle).filter { $0.entityVersionHashesByName == hashes }
      }
    } catch {
      throw StoreError(
        .modelReferenceNotFound,
        "The model version \(placeForMessages) cannot be read: \(error)",
        context: ["versionChecksum": checksum], underlying: error)
    }
  }

  private var placeForMessages: String {
    switch place {
    case .model: "that was given"
    case .file(let url): "at \(url.path)"
    case .name(let name, let bundle): "\(name) of \(bundle?.bundlePath ?? "the program")"
    case .hashes(_, let bundle):
      "with the given entities of \(bundle?.bundlePath ?? "the program")"
    }
  }
}
