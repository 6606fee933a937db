public import Foundation
import Synchronization

/// A group of related operations, such as those of one user action.
open class CKOperationGroup: NSObject, NSSecureCoding, @unchecked Sendable {
  // Sendable: all mutable values are under the lock.

  /// An estimate of the amount of data.
  public enum TransferSize: Int, Sendable {
    /// The size is unknown.
    case unknown = 0
    /// Less than a megabyte.
    case kilobytes = 1
    /// A few megabytes.
    case megabytes = 2
    /// Tens of megabytes.
    case tensOfMegabytes = 3
    /// Hundreds of megabytes.
    case hundredsOfMegabytes = 4
    /// A few gigabytes.
    case gigabytes = 5
    /// Tens of gigabytes.
    case tensOfGigabytes = 6
    /// Hundreds of gigabytes.
    case hundredsOfGigabytes = 7
  }

  private struct State {
    var name: String?
    var quantity = 0
    var expectedSendSize = TransferSize.unknown
    var expectedReceiveSize = TransferSize.unknown
    var configuration = CKOperation.Configuration()
  }

  /// The unique identifier of the group.
  public let operationGroupID: String
  private let state = Mutex(State())

  /// Creates a group.
  public override init() {
    operationGroupID = UUID().uuidString
    super.init()
  }

  /// The default configuration of the group's operations.
  ///
  /// The setter copies its value. Nil resets all values.
  open var defaultConfiguration: CKOperation.Configuration! {
    get { state.withLock { $0.configuration } }
    set {
      let copy = newValue?.filled(from: nil) ?? CKOperation.Configuration()
      state.withLock { $0.configuration = copy }
    }
  }

  /// The name of the group in logs.
  open var name: String? {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }

  /// The number of items that the group is about, as the app counts them.
  open var quantity: Int {
    get { state.withLock { $0.quantity } }
    set { state.withLock { $0.quantity = newValue } }
  }

  /// The expected amount of data to send.
  open var expectedSendSize: TransferSize {
    get { state.withLock { $0.expectedSendSize } }
    set { state.withLock { $0.expectedSendSize = newValue } }
  }

  /// The expected amount of data to receive.
  open var expectedReceiveSize: TransferSize {
    get { state.withLock { $0.expectedReceiveSize } }
    set { state.withLock { $0.expectedReceiveSize = newValue } }
  }

  // MARK: Archives

  /// Creates a group from an archive; nil if the archive contains none.
  public required init?(coder: NSCoder) {
    guard let identifier = coder.text(Key.identifier) else { return nil }
    operationGroupID = identifier
    super.init()
    name = coder.text(Key.name)
    quantity = coder.decodeInteger(forKey: Key.quantity)
    expectedSendSize = TransferSize(rawValue: coder.decodeInteger(forKey: Key.sendSize)) ?? .unknown
    expectedReceiveSize =
      TransferSize(rawValue: coder.decodeInteger(forKey: Key.receiveSize)) ?? .unknown
  }

  /// Encodes the group into an archive, without its configuration.
  open func encode(with coder: NSCoder) {
    coder.encode(operationGroupID as NSString, forKey: Key.identifier)
    if let name { coder.encode(name as NSString, forKey: Key.name) }
    coder.encode(quantity, forKey: Key.quantity)
    coder.encode(expectedSendSize.rawValue, forKey: Key.sendSize)
    coder.encode(expectedReceiveSize.rawValue, forKey: Key.receiveSize)
  }

  private enum Key {
    static let identifier = "OperationGroupID"
    static let name = "Name"
    static let quantity = "Quantity"
    static let sendSize = "ExpectedSendSize"
    static let receiveSize = "ExpectedReceiveSize"
  }

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }
}
