import PackagePlugin

@main
struct ManagedObjectModelPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] { [] }
}
