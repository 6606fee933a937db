public import ManagedObjectModel

/// The classes whose properties are generated.
///
/// For generated code.
public protocol _GeneratedManagedObject: NSManagedObject {}

extension _GeneratedManagedObject {
  /// Creates a fetch request for the entity that this class represents.
  ///
  /// One declaration serves a class and its subclasses. With separate declarations the compiler
  /// could not choose between a class and its superclass if the request's type is not specified.
  public static func fetchRequest() -> NSFetchRequest<Self> {
    NSFetchRequest<Self>(entityName: RegisteredModels.shared.entityName(of: self))
  }
}
