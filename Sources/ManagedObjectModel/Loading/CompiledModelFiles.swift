package import Foundation

/// Finds compiled models: `.momd` folders and single `.mom` files.
package enum CompiledModelFiles {
  /// The compiled models directly in folders, folder by folder, in the order of their names.
  ///
  /// If a folder has a `.momd` and a `.mom` of the same name, the `.momd` is used, since it
  /// contains all versions.
  package static func all(in folders: [URL]) -> [URL] {
    folders.flatMap { folder in
      let versioned = entries(of: folder, [".momd"])
      let names = Set(versioned.map { $0.deletingPathExtension().lastPathComponent })
      return versioned
        + entries(of: folder, [".mom"]).filter {
          !names.contains($0.deletingPathExtension().lastPathComponent)
        }
    }
  }

  /// The compiled mapping models directly in folders, folder by folder, ordered by name.
  static func mappings(in folders: [URL]) -> [URL] {
    folders.flatMap { entries(of: $0, [".cdm"]) }
  }

  /// The compiled model with a name, in the first folder that has one.
  package static func first(named name: String, in folders: [URL]) -> URL? {
    all(in: folders).first { $0.deletingPathExtension().lastPathComponent == name }
  }

  /// The resource folders of bundles.
  package static func folders(of bundles: [Bundle]) -> [URL] {
    var folders: [URL] = []
    for folder in bundles.flatMap({ [$0.resourceURL, $0.bundleURL] }).compactMap({
      $0?.standardizedFileURL
    })
    where !folders.contains(folder) {
      folders.append(folder)
    }
    return folders
  }

  /// The resource folders of a program: those of its bundle, and of the bundles of its modules,
  /// which SwiftPM puts next to the executable.
  package static func folders(ofProgramIn main: Bundle) -> [URL] {
    let modules = entries(of: main.bundleURL, [".resources", ".bundle"])
    return folders(of: [main] + modules.compactMap(Bundle.init(url:)))
  }

  /// The contents of a folder whose names end as given, in the order of their names.
  ///
  /// A folder that cannot be read is empty.
  private static func entries(of folder: URL, _ suffixes: [String]) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    // Filtered before they are sorted: the folder of a program may contain thousands of files.
    return names.filter { name in suffixes.contains(where: name.hasSuffix) }
      .sorted(by: VersionHash.utf8Precedes)
      .map { folder.appendingPathComponent($0) }
  }
}
