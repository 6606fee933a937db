public import Foundation
import Synchronization

/// Operations that belong together, such as all that one tap of the user asks for.
open class CKOperationGroup: NSObject, NSSecureCoding, @unchecked Sendable {
  // Sendable: everything that changes is under the lock.

  /// How much is going to be sent or fetched, about.
  public enum TransferSize: Int, Sendable {
    /// It is not known.
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

  /// The name of the group that nobody else has.
  public let operationGroupID: String
  private let state = Mutex(State())

  /// A new group.
  public override init() {
    operationGroupID = UUID().uuidString
    super.init()
  }

  /// How the operations of the group ask, where they do not say themselves.
  ///
  /// It is a copy of what it is set to. Set to nil, it leaves everything open again.
  open var defaultConfiguration: CKOperation.Configuration! {
    get { state.withLock { $0.configuration } }
    set {
      let copy = newValue?.filled(from: nil) ?? CKOperation.Configuration()
      state.withLock { $0.configuration = copy }
    }
  }

  /// What the group is called in logs.
  open var name: String? {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }

  /// How many things the group is about, as the program counts them.
  open var quantity: Int {
    get { state.withLock { $0.quantity } }
    set { state.withLock { $0.quantity = newValue } }
  }

  /// How much is going to be sent.
  open var expectedSendSize: TransferSize {
    get { state.withLock { $0.expectedSendSize } }
    set { state.withLock { $0.expectedSendSize = newValue } }
  }

  /// How much is going to be fetched.
  open var expectedReceiveSize: TransferSize {
    get { state.withLock { $0.expectedReceiveSize } }
    set { state.withLock { $0.expectedReceiveSize = newValue } }
  }

  // MARK: Archives

  /// Reads a group from an archive; nil where it holds none.
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

  /// Writes the group into an archive, without its configuration.
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

  /// True: a group holds texts and numbers only.
  public static var supportsSecureCoding: Bool { true }
}
