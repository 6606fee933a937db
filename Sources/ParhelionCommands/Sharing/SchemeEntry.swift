import Foundation

/// The desktop entry by which browsers find the program for the scheme `parhelion-share`.
struct SchemeEntry {
  static let scheme = "parhelion-share"
  private static let fileName = "parhelion-share.desktop"

  private let program: String
  private let applications: String
  private let associations: String

  /// Creates an entry that is not yet written.
  ///
  /// - Parameter command: The program to call; nil for `parhelion share open`.
  init(command: String?, environment: [String: String] = ProcessInfo.processInfo.environment)
    throws
  {
    func folder(_ variable: String, _ usual: String) -> String {
      if let path = environment[variable], path.hasPrefix("/") { return path }
      return (environment["HOME"] ?? NSHomeDirectory()) + "/" + usual
    }
    applications = folder("XDG_DATA_HOME", ".local/share") + "/applications"
    associations = folder("XDG_CONFIG_HOME", ".config") + "/mimeapps.list"
    guard let command else {
      program = "\(Self.quoted(Self.ownPath)) share open"
      return
    }
    guard command.hasPrefix("/"), !command.contains(where: \.isNewline) else {
      throw UsageError("--command must be an absolute path.")
    }
    guard Self.isProgram(command) else {
      throw UsageError("--command: \(command) is not a program that you may run.")
    }
    program = Self.quoted(command)
  }

  private static func isProgram(_ path: String) -> Bool {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let attributes = try? FileManager.default.attributesOfItem(atPath: target)
    return attributes?[.type] as? FileAttributeType == .typeRegular
      && FileManager.default.isExecutableFile(atPath: target)
  }

  private static var ownPath: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? CommandLine.arguments[0]
  }

  /// A text as an argument of an `Exec` key.
  private static func quoted(_ text: String) -> String {
    let escaped = text.reduce(into: "") { result, character in
      if "\"`$\\".contains(character) { result.append("\\") }
      result.append(character)
    }
    // A percent sign begins a field code, and a backslash is an escape of the file as well.
    let doubled = escaped.replacing("\\", with: "\\\\").replacing("%", with: "%%")
    return "\"\(doubled)\""
  }

  var text: String {
    """
    [Desktop Entry]
    Type=Application
    Name=Parhelion invitations
    Exec=\(program) %u
    NoDisplay=true
    Terminal=false
    MimeType=x-scheme-handler/\(Self.scheme);

    """
  }

  /// Writes the entry.
  ///
  /// - Returns: A sentence about the result, for the user.
  func install() throws(CommandError) -> String {
    let path = "\(applications)/\(Self.fileName)"
    try CommandError.writing(path) {
      try FileManager.default.createDirectory(
        atPath: applications, withIntermediateDirectories: true)
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    try CommandError.writing(associations) { try associate(isDefault: true) }
    return "\(path) handles \(Self.scheme): in this user's browsers now."
  }

  /// Removes the entry.
  ///
  /// - Returns: A sentence about the result, for the user.
  func remove() throws(CommandError) -> String {
    let path = "\(applications)/\(Self.fileName)"
    let exists = FileManager.default.fileExists(atPath: path)
    try CommandError.writing(path) {
      if exists { try FileManager.default.removeItem(atPath: path) }
    }
    try CommandError.writing(associations) { try associate(isDefault: false) }
    return exists ? "\(path) is removed." : "\(path) does not exist."
  }

  /// Makes the program the default handler of the scheme in the list of associations, or removes it
  /// from there.
  ///
  /// Other programs write the list too, so its lines may have any bytes, and it may be a symbolic
  /// link. The handlers of other programs follow this one.
  private func associate(isDefault: Bool) throws {
    let (section, key) = ("[Default Applications]", "x-scheme-handler/\(Self.scheme)=")
    let list = URL(fileURLWithPath: associations).resolvingSymlinksInPath()
    let former =
      FileManager.default.fileExists(atPath: list.path) ? try Data(contentsOf: list) : Data()
    let separator = UInt8(ascii: ";")
    var newHandlers = isDefault ? [Data(Self.fileName.utf8)] : []
    var isInSection = false
    var lines = former.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .compactMap { line -> Data? in
        if line.first == UInt8(ascii: "[") { isInSection = line.elementsEqual(section.utf8) }
        guard isInSection, line.starts(with: key.utf8) else { return line }
        let all = line.dropFirst(key.utf8.count).split(separator: separator)
        let others = all.filter { !$0.elementsEqual(Self.fileName.utf8) }
        guard isDefault || others.count < all.count else { return line }
        defer { newHandlers = [] }
        let handlers = newHandlers + others
        return handlers.isEmpty ? nil : Data(key.utf8) + handlers.joined(separator: [separator])
      }
    for handler in newHandlers {
      let entry = Data(key.utf8) + handler
      if let place = lines.firstIndex(where: { $0.elementsEqual(section.utf8) }) {
        lines.insert(entry, at: place + 1)
      } else {
        if lines.last?.isEmpty == true { lines.removeLast() }
        lines += [Data(section.utf8), entry, Data()]
      }
    }
    let contents = Data(lines.joined(separator: [UInt8(ascii: "\n")]))
    guard contents != former else { return }
    try FileManager.default.createDirectory(
      at: list.deletingLastPathComponent(), withIntermediateDirectories: true)
    try contents.write(to: list, options: .atomic)
  }
}
