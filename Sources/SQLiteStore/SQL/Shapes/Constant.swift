/// A constant without its value: which one it is, and of what kind.
struct Constant: Hashable, Sendable {
  /// Its place among the constants of the fetch.
  let index: Int
  let kind: ConstantKind
}

/// What a constant is.
enum ConstantKind: Hashable, Sendable {
  case null
  case integer, real, decimal
  case text
  case date
  case data
  case uuid
  case url
  /// An object or an object identifier.
  case object
  /// A description of an entity.
  case entity
  /// The bytes of a transformed value, as the store keeps them.
  case encoded
  case list(ListShape)
  /// A value that no attribute holds, by the name of its type.
  case other(String)
}

/// What the SQL for a list depends on.
struct ListShape: Hashable, Sendable {
  let form: Form
  /// Whether a null is among the elements, which do not count it.
  let hasNull: Bool

  enum Form: Hashable, Sendable {
    /// One parameter for each element.
    ///
    /// Longer lists are filled up to a power of two by their last element, so that few lengths make
    /// a statement of their own.
    case parameters(Int)
    /// Whole numbers or objects, which an integer array holds.
    case integers
    /// Texts, which one parameter holds as JSON.
    case texts
  }
}

extension ListShape {
  /// The shape of a list of elements.
  init(_ elements: [ConstantValue]) {
    let present = elements.filter { !$0.isNull }
    hasNull = present.count < elements.count
    form = Form(present)
  }
}

extension ListShape.Form {
  fileprivate init(_ elements: [ConstantValue]) {
    let count = elements.count
    if count > Limits.integersInText, elements.allSatisfy(\.isKeyOrInteger) {
      self = .integers
    } else if count > Limits.textsInText, elements.allSatisfy({ $0.kind == .text }) {
      self = .texts
    } else {
      self = .parameters(
        count <= Limits.integersInText
          ? count : min(count.nextPowerOfTwo, max(count, Limits.values)))
    }
  }
}

extension Int {
  /// The least power of two that is not below the number.
  fileprivate var nextPowerOfTwo: Int {
    self < 2 ? self : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
  }
}
