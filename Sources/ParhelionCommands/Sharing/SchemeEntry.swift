import Foundation

/// The desktop entry by which browsers find the program for the scheme `parhelion-share`.
struct SchemeEntry {
  static let scheme = "parhelion-share"
  private static let fileName = "parhelion-share.desktop"

  private let program: String
  private let applications: String
  private let associations: String

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
      throw UsageError("--command is to be an absolute path.")
    }
    program = Self.quoted(command)
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
  /// - Returns: What was done.
  func install() throws -> String {
    try FileManager.default.createDirectory(
      atPath: applications, withIntermediateDirectories: true)
    let path = "\(applications)/\(Self.fileName)"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    try associate(with: Self.fileName)
    return "\(path) handles \(Self.scheme): in this user's browsers now."
  }

  /// Removes the entry.
  func remove() throws -> String {
    let path = "\(applications)/\(Self.fileName)"
    if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
    try associate(with: nil)
    return "\(path) is removed."
  }

  /// Sets the default handler of the scheme in the list of associations.
  private func associate(with name: String?) throws {
    let key = "x-scheme-handler/\(Self.scheme)="
    let section = "[Default Applications]"
    let former = (try? String(contentsOfFile: associations, encoding: .utf8)) ?? ""
    var lines = former.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      .filter { !$0.hasPrefix(key) }
    if let name {
      if let place = lines.firstIndex(of: section) {
        lines.insert("\(key)\(name)", at: place + 1)
      } else {
        if lines.last == "" { lines.removeLast() }
        lines += [section, "\(key)\(name)", ""]
      }
    }
    let text = lines.joined(separator: "\n")
    guard text != former else { return }
    try FileManager.default.createDirectory(
      atPath: (associations as NSString).deletingLastPathComponent,
      withIntermediateDirectories: true)
    try text.write(toFile: associations, atomically: true, encoding: .utf8)
  }
}
