/// The arguments of the command.
struct MigrationArguments: Equatable {
  enum Action: Equatable {
    /// Show the diff, then ask on a terminal.
    case ask
    /// Show the diff and stop.
    case show
    /// Show the diff, and fail if anything would change.
    case check
    /// Show the diff and apply it.
    case apply
    case help
  }

  /// An error in the arguments, with a message.
  struct UsageError: Error, Equatable { let message: String }

  private(set) var action = Action.ask
  private(set) var options = MigrationOptions()
  private(set) var paths: [Path] = []
  /// Whether an argument gives the language mode of all targets, which overrides the manifest.
  private(set) var hasLanguageMode = false
  /// The `Package.swift` with the language modes and plug-ins of targets.
  private(set) var manifest: String?

  /// A file or folder, and its target.
  struct Path: Equatable {
    let path: String
    let target: String?
  }

  static let usage = """
    usage: migrate-sources [--apply | --dry-run | --check] [--language-mode 5|6]
                           [--manifest FILE] [--target NAME] [--replace-managed]
                           [--without-plugin] FILE|FOLDER…

      Shows what would change in the Swift sources given, as a diff, and asks before it writes.

      --apply, --yes     write without asking
      --dry-run          only show the diff
      --check            only show the diff, and exit with 1 if anything is left to change
      --language-mode N  the Swift language mode: 5 (the default) or 6; overrides --manifest
      --manifest FILE    the Package.swift with the language modes and plug-ins of targets
      --target NAME      the target of the files and folders that follow, with --manifest
      --replace-managed  give @NSManaged members bodies for platforms without Objective-C
      --without-plugin   also import the names that Foundation and CoreData share
      --help             print this

    """

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    var takesOptions = true
    var target: String?
    while let argument = rest.popFirst() {
      guard takesOptions, argument.hasPrefix("-"), argument != "-" else {
        paths.append(Path(path: argument, target: target))
        continue
      }
      switch argument {
      case "--": takesOptions = false
      case "--apply", "--yes": try choose(.apply, by: argument)
      case "--dry-run": try choose(.show, by: argument)
      case "--check": try choose(.check, by: argument)
      case "--help", "-h": action = .help
      case "--replace-managed": options.replacesManagedMembers = true
      case "--without-plugin": options.importsPredicateNames = true
      case "--manifest": manifest = try Self.value(rest.popFirst(), of: argument)
      case "--target": target = try Self.value(rest.popFirst(), of: argument)
      case "--language-mode":
        options.isSwift6Mode = try Self.isSwift6(rest.popFirst())
        hasLanguageMode = true
      default: throw UsageError(message: "there is no option “\(argument)”")
      }
    }
    if paths.isEmpty && action != .help {
      throw UsageError(message: "name at least one Swift file or folder")
    }
  }

  private mutating func choose(_ action: Action, by argument: String) throws(UsageError) {
    guard self.action == .ask || self.action == action || self.action == .help else {
      throw UsageError(message: "“\(argument)” contradicts an option before it")
    }
    if self.action != .help { self.action = action }
  }

  private static func value(_ value: String?, of option: String) throws(UsageError) -> String {
    guard let value else { throw UsageError(message: "\(option) needs a value") }
    return value
  }

  private static func isSwift6(_ mode: String?) throws(UsageError) -> Bool {
    switch mode {
    case "6": return true
    case "4", "4.2", "5": return false
    default: throw UsageError(message: "--language-mode takes 5 or 6")
    }
  }
}
