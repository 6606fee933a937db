public import ManagedObjectModel

extension NSManagedObjectModel {
  /// The model of a name that is linked into the process, or nil where there is none.
  ///
  /// Parhelion's addition.
  ///
  /// Targets that use ManagedObjectModelPlugin link their models. Several modules may have a model
  /// of the same name; then this is the preferred module's, else that of the first module by name.
  ///
  /// The model is shared and cannot be changed; change a copy.
  public static func linked(
    named name: String, preferringModule module: String? = nil
  ) -> NSManagedObjectModel? {
    ModelRegistry.registration(named: name, preferringModule: module).map(
      RegisteredModels.shared.model)
  }
}
