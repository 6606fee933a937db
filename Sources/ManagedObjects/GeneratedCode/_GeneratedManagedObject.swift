public import ManagedObjectModel

/// The classes whose properties are generated.
///
/// For generated code.
public protocol _GeneratedManagedObject: NSManagedObject {}

extension _GeneratedManagedObject {
  /// A request for the objects of the entity that this class represents.
  ///
  /// One declaration serves a class and its subclasses. If each class had its own, the compiler
  /// could not choose between a class's and its superclass's where nothing says which type of
  /// request is wanted.
  public static func fetchRequest() -> NSFetchRequest<Self> {
    NSFetchRequest<Self>(entityName: RegisteredModels.shared.entityName(of: self))
  }
}
