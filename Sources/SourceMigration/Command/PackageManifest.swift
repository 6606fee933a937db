/// The language modes and plug-ins of a package's targets, as far as the text of its manifest shows
/// them.
///
/// A command plug-in does not receive the settings of targets, and cannot evaluate the manifest.
package struct PackageManifest {
  private let source: ScannedSource

  /// Parses the text of a `Package.swift`; nil if it is not valid Swift.
  package init?(_ text: String) {
    guard let source = try? ScannedSource(SourceFile(path: "Package.swift", text: text)) else {
      return nil
    }
    self.source = source
  }

  /// Whether a target is compiled in Swift 6 mode.
  ///
  /// The target's own setting decides; then, for a target with Swift settings, the one that targets
  /// share; then the package's; then the tools version.
  package func isSwift6(target name: String) -> Bool {
    let own = call(ofTarget: name)
    if let own, let mode = mode(in: own) { return mode >= 6 }
    if let own, own.contains(where: { source.isWord($0, "swiftSettings") }), let shared = sharedMode
    {
      return shared >= 6
    }
    if let mode = packageMode { return mode >= 6 }
    return toolsVersion >= 6
  }

  /// Whether the plug-in that generates classes runs on a target.
  ///
  /// If the text does not show all plug-ins of the target, any mention of this plug-in in the
  /// manifest counts.
  package func usesModelPlugin(target name: String) -> Bool {
    guard source.file.text.contains(Self.plugin) else { return false }
    guard let own = call(ofTarget: name) else { return true }
    if source.text(source.bytes(from: own.lowerBound, through: own.upperBound)).contains(
      Self.plugin)
    {
      return true
    }
    let calls = calls
    // A statement after the declarations may add plug-ins to any target.
    let isSetLater = source.tokens.indices.contains { index in
      source.isWord(index, "plugins") && source.isPunctuation(index - 1, ".")
        && !calls.contains { $0.contains(index) }
    }
    return isSetLater || namesSharedPlugins(own)
  }

  private static let plugin = "ManagedObjectModelPlugin"

  /// Whether a target's plug-ins are or contain a constant that is declared elsewhere.
  private func namesSharedPlugins(_ call: ClosedRange<Int>) -> Bool {
    guard
      let label = call.first(where: {
        source.isWord($0, "plugins") && source.isPunctuation($0 + 1, ":")
      })
    else {
      return false
    }
    let start = label + 2
    let end = source.isPunctuation(start, "[") ? source.partners[start] ?? start : start
    return (start...end).contains { index in
      source.isName(index) && !source.isPunctuation(index - 1, ".")
        && !source.isPunctuation(index + 1, ":")
    }
  }

  private static let functions: Set<String> = ["target", "executableTarget", "testTarget", "macro"]

  /// The calls that declare targets: the indices from the opening to the closing parenthesis.
  private var calls: [ClosedRange<Int>] {
    source.tokens.indices.compactMap { index in
      guard source.isPunctuation(index, "("), Self.functions.contains(source.spelling(index - 1)),
        source.isPunctuation(index - 2, "."),
        source.isWord(index + 1, "name"), let end = source.partners[index]
      else { return nil }
      return index...end
    }
  }

  private func call(ofTarget name: String) -> ClosedRange<Int>? {
    calls.first {
      source.text(source.bytes(from: $0.lowerBound + 3, through: $0.lowerBound + 4))
        == "\"\(name)\""
    }
  }

  /// The version in `swiftLanguageMode(.v5)` in a range of tokens.
  private func mode(in tokens: ClosedRange<Int>) -> Int? {
    for index in tokens
    where ["swiftLanguageMode", "swiftLanguageVersion"].contains(source.spelling(index)) {
      if source.isPunctuation(index + 1, "("), let mode = version(at: index + 3) { return mode }
    }
    return nil
  }

  /// The version in the settings that targets share, outside of their declarations, if it is the
  /// same everywhere.
  private var sharedMode: Int? {
    let calls = calls
    let modes = Set(
      source.tokens.indices.filter { index in !calls.contains { $0.contains(index) } }
        .compactMap { mode(in: $0...$0) })
    return modes.count == 1 ? modes.first : nil
  }

  /// The greatest version in `swiftLanguageModes: [.v5, .v6]`.
  private var packageMode: Int? {
    for index in source.tokens.indices
    where ["swiftLanguageModes", "swiftLanguageVersions"].contains(source.spelling(index))
      && source.isPunctuation(index + 2, "[")
    {
      let end = source.partners[index + 2] ?? index + 2
      return (index + 2...end).compactMap(version(at:)).max()
    }
    return nil
  }

  /// The major version, if the tokens after a period are `v5`, `v4_2`, `v6` or `version("6")`.
  private func version(at index: Int) -> Int? {
    let word = source.spelling(index)
    guard source.isPunctuation(index - 1, "."), word.hasPrefix("v") else { return nil }
    if word == "version", source.partners[index + 1] == index + 4 {
      let literal = source.text(source.bytes(from: index + 2, through: index + 3))
      return Int(literal.dropFirst().prefix { $0.isNumber })
    }
    return Int(word.dropFirst().prefix { $0.isNumber })
  }

  private var toolsVersion: Int {
    let line = source.file.text.drop { $0.isWhitespace }.prefix { !$0.isNewline }
    return line.split(separator: ":").last.flatMap {
      Int($0.filter { $0 != " " }.prefix { $0.isNumber })
    } ?? 5
  }
}
