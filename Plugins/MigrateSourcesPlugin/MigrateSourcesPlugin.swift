import PackagePlugin

@main
struct MigrateSourcesPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {}
}
