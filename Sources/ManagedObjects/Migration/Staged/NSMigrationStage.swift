public import Foundation
import Synchronization

/// One stage of a staged migration.
///
/// Use one of its subclasses: ``NSLightweightMigrationStage`` or ``NSCustomMigrationStage``.
// Sendable: a mutex protects the label.
open class NSMigrationStage: NSObject, @unchecked Sendable {
  private let labelBox = Mutex<String?>(nil)

  /// A text that describes the purpose of the stage; errors contain it.
  open var label: String? {
    get { labelBox.withLock { $0 } }
    set { labelBox.withLock { $0 = newValue } }
  }

  /// The stage as errors name it.
  var nameForMessages: String { label.map { "the stage “\($0)”" } ?? "an unnamed stage" }

  /// The stage's label, and the kind of stage.
  open override var description: String { "<\(type(of: self)): \(label ?? "no label")>" }
}
