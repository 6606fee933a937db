import CloudRecords
import RecordServer

/// The options for containers and their credentials.
enum ContainerOption {
  static let container = CommandOption(
    "--container", value: "C", "The container's identifier, such as iCloud.com.example.notes.")
  static let environment = CommandOption(
    "--environment", choices: CloudEnvironment.allCases.map(\.rawValue),
    "The environment; default development.")
  static let label = CommandOption("--label", value: "TEXT", "Its name in lists.")
  static let expires = CommandOption(
    "--expires", value: "DAYS", "The number of days until it expires.")
  private static let permittedDays = 1...36_500

  /// The container and environment of a call.
  static func address(_ invocation: Invocation) throws(UsageError) -> ContainerAddress {
    guard let container = invocation.value(of: "--container") else {
      throw UsageError("--container is missing.")
    }
    let environment =
      invocation.value(of: "--environment").flatMap(CloudEnvironment.init(rawValue:))
      ?? .development
    return ContainerAddress(container: container, environment: environment)
  }

  /// The container of a call, or the only one that exists; nil if there are none or several.
  static func name(_ invocation: Invocation, _ accounts: Accounts) async throws -> String? {
    if let named = invocation.value(of: "--container") { return named }
    let all = Set(try await accounts.server.containers().map(\.container))
    return all.count == 1 ? all.first : nil
  }

  /// The time that `--expires` specifies.
  static func expiry(_ invocation: Invocation) throws(UsageError) -> Timestamp? {
    guard let text = invocation.value(of: "--expires") else { return nil }
    guard let days = Int(text), permittedDays.contains(days) else {
      let (least, most) = (permittedDays.lowerBound, permittedDays.upperBound)
      throw UsageError(
        "--expires cannot be \"\(text)\"; it is a number of days from \(least) to \(most).")
    }
    return .inDays(days)
  }
}
