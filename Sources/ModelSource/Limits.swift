/// The bounds on model source, so that a hostile file costs little and never overflows the stack.
package enum Limits {
  /// The largest `contents` file that is read.
  ///
  /// The largest model known to us has some 60 KB.
  package static let fileBytes = 16 << 20

  /// The deepest nesting of elements.
  ///
  /// A model needs 6 levels, its deepest being the entries of an attribute's userInfo.
  package static let elementDepth = 64

  /// The greatest number of elements in a file; a model of a thousand entities has some tens of
  /// thousands.
  package static let elements = 200_000

  /// The greatest number of attributes on one element.
  ///
  /// The data modeler writes at most about 25.
  package static let attributesPerElement = 256

  /// How many ancestors an entity may have.
  ///
  /// Inherited properties are copied at each step.
  package static let inheritanceDepth = 200

  /// The deepest nesting of composite attributes, in one of which another may stand.
  package static let compositeDepth = 32

  /// How many values the composite attributes of one model may expand to altogether.
  ///
  /// A composite that holds ten of the next, each of which holds ten of the next, grows without the
  /// file growing.
  package static let compositeElements = 100_000

  /// How many composites a model may declare.
  ///
  /// Looking for cycles among them takes the square of it.
  package static let composites = 1_000

  /// How many problems a run reports before it says that there are more.
  package static let issues = 200

  /// How many versions a bundle may hold.
  package static let versions = 1_000
}
