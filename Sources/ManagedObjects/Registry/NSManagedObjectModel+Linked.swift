public import ManagedObjectModel

extension NSManagedObjectModel {
  /// Returns the model with a name that is linked into the process, or nil if there is none.
  ///
  /// This method is Parhelion's addition.
  ///
  /// Targets that use ManagedObjectModelPlugin link their models. If several modules have a model
  /// with the name, the preferred module's is returned, or else that of the first module by name.
  ///
  /// The model is shared and cannot be changed. Change a copy.
  public static func linked(
    named name: String, preferringModule module: String? = nil
  ) -> NSManagedObjectModel? {
    ModelRegistry.registration(named: name, preferringModule: module).map(
      RegisteredModels.shared.model)
  }
}
