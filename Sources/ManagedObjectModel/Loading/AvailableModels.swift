package import Foundation

/// The models that a program can use: those linked into it, then those among the resources of bundles.
package struct AvailableModels {
  private let registrations: [ModelRegistration]
  private let files: [URL]

  /// The models in bundles; for nil, those linked into the program and those among its own resources.
  ///
  /// A file with the name of a linked model is passed over: the build makes both from the same source.
  package init(bundles: [Bundle]?) {
    guard let bundles else {
      let linked = ModelRegistry.registrations
      let names = Set(linked.map(\.name))
      registrations = linked
      files = CompiledModelFiles.all(in: CompiledModelFiles.folders(ofProgramIn: .main))
        .filter { !names.contains($0.deletingPathExtension().lastPathComponent) }
      return
    }
    registrations = []
    files = CompiledModelFiles.all(in: CompiledModelFiles.folders(of: bundles))
  }

  /// The current version of every model.
  package func currentVersions() throws -> [NSManagedObjectModel] {
    try registrations.map { try CompiledModel.read($0.compiledModel()) }
      + files.map { try CompiledModel.read(contentsOf: $0) }
  }

  /// Every version of every model, the current versions first.
  package func allVersions() throws -> [NSManagedObjectModel] {
    let folders = CompiledModelFiles.folders(ofProgramIn: .main)
    let linked = registrations.compactMap { CompiledModelFiles.first(named: $0.name, in: folders) }
    let bundles = (linked + files).filter { $0.pathExtension == "momd" }
    return try currentVersions()
      + bundles.flatMap { url in
        let bundle = try CompiledModel.versions(ofBundleAt: url)
        return try bundle.versionNames.map { try bundle.model(ofVersion: $0) }
      }
  }

  /// The model of a name, as `NSPersistentContainer(name:)` finds it: the linked one of the module that asks, else of
  /// the first module that has one, else a compiled model among the program's resources.
  package static func model(named name: String, preferringModule module: String? = nil) throws -> NSManagedObjectModel {
    if let registration = ModelRegistry.registration(named: name, preferringModule: module) {
      return try CompiledModel.read(registration.compiledModel())
    }
    let folders = CompiledModelFiles.folders(ofProgramIn: .main)
    guard let file = CompiledModelFiles.first(named: name, in: folders) else {
      throw ManagedObjectModelError(
        code: .modelNotFound,
        message:
          "There is no model named \(name): none is linked into the program, and there is no \(name).momd or \(name).mom beside it. Add \(name).xcdatamodeld to a target that uses the ManagedObjectModelPlugin, or give the model itself.",
        context: ["model": name])
    }
    return try CompiledModel.read(contentsOf: file)
  }

  static func noModels(in bundles: [Bundle]?) -> ManagedObjectModelError {
    let places = bundles?.map(\.bundlePath).joined(separator: ", ") ?? "the program and its resources"
    return ManagedObjectModelError(
      code: .modelNotFound, message: "There is no compiled model in \(places). Add a .momd or a .mom to the resources.",
      context: ["bundles": places])
  }
}
