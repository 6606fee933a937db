package import Foundation

/// The models that a program can use: linked models, then those in the resources of bundles.
package struct AvailableModels {
  private let registrations: [ModelRegistration]
  private let files: [URL]

  /// Finds the models in bundles; for nil, the linked models and those in the program's own
  /// resources.
  ///
  /// If the bundles include the main bundle, the linked models are found too: `Bundle(for:)`
  /// returns the main bundle for every class on this platform. A file with the name of a linked
  /// model is skipped, because the build creates both from the same source.
  package init(bundles: [Bundle]?) {
    let includesProgram = bundles.map { $0.contains(where: Self.isMain) } ?? true
    let folders =
      bundles.map(CompiledModelFiles.folders(of:)) ?? CompiledModelFiles.folders(ofProgramIn: .main)
    let linked = includesProgram ? ModelRegistry.registrations : []
    let names = Set(linked.map(\.name))
    registrations = linked
    files = CompiledModelFiles.all(in: folders)
      .filter { !names.contains($0.deletingPathExtension().lastPathComponent) }
  }

  private static func isMain(_ bundle: Bundle) -> Bool {
    bundle.bundleURL.standardizedFileURL == Bundle.main.bundleURL.standardizedFileURL
  }

  /// The names of the linked models.
  package var linkedNames: [String] { registrations.map(\.name) }

  /// The current version of every model.
  package func currentVersions() throws -> [NSManagedObjectModel] {
    try registrations.map { try CompiledModel.read($0.compiledModel()) }
      + files.map { try CompiledModel.read(contentsOf: $0) }
  }

  /// Every version of every model, starting with the current versions.
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

  /// The versions with a name, and all versions of the models with that name.
  package func versions(named name: String) throws -> [NSManagedObjectModel] {
    let folders = CompiledModelFiles.folders(ofProgramIn: .main)
    let linked = registrations.compactMap { CompiledModelFiles.first(named: $0.name, in: folders) }
    var found = try registrations.filter { $0.name == name }.map {
      try CompiledModel.read($0.compiledModel())
    }
    for file in linked + files {
      let isNamed = file.deletingPathExtension().lastPathComponent == name
      guard file.pathExtension == "momd" else {
        if isNamed { found.append(try CompiledModel.read(contentsOf: file)) }
        continue
      }
      let bundle = try CompiledModel.versions(ofBundleAt: file)
      found += try bundle.versionNames.filter { isNamed || $0 == name }.map {
        try bundle.model(ofVersion: $0)
      }
    }
    return found
  }

  /// Finds the model with a name, as `NSPersistentContainer(name:)` does.
  ///
  /// The preferred module's linked model comes first, then that of the first module that has one,
  /// then a compiled model in the program's resources.
  package static func model(named name: String, preferringModule module: String? = nil) throws
    -> NSManagedObjectModel
  {
    if let registration = ModelRegistry.registration(named: name, preferringModule: module) {
      return try CompiledModel.read(registration.compiledModel())
    }
    let folders = CompiledModelFiles.folders(ofProgramIn: .main)
    guard let file = CompiledModelFiles.first(named: name, in: folders) else {
      throw ManagedObjectModelError(
        code: .modelNotFound,
        message:
          """
          There is no model named \(name): none is linked into the program, and there is no \
          \(name).momd or \(name).mom beside it. Add \(name).xcdatamodeld to a target that \
          uses the ManagedObjectModelPlugin, or give the model itself.
          """,
        context: ["model": name])
    }
    return try CompiledModel.read(contentsOf: file)
  }

  static func noModels(in bundles: [Bundle]?) -> ManagedObjectModelError {
    let includesProgram = bundles?.contains(where: isMain) ?? true
    let places =
      (includesProgram ? ["the program"] : []) + (bundles?.map(\.bundlePath) ?? ["its resources"])
    let advice =
      includesProgram
      ? "Add an .xcdatamodeld to a target that uses ManagedObjectModelPlugin, or a .momd or .mom to the resources."
      : "Add a .momd or a .mom to the resources, or pass nil to also find the models that are linked into the program."
    return ManagedObjectModelError(
      code: .modelNotFound,
      message: "There is no compiled model in \(places.joined(separator: ", ")). \(advice)",
      context: ["bundles": places.joined(separator: ", ")])
  }
}
