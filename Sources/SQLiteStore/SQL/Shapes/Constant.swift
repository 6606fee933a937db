/// A constant without its value: its index and its kind.
struct Constant: Hashable, Sendable {
  /// The index among the constants of the fetch.
  let index: Int
  let kind: ConstantKind
}

/// The kind of a constant.
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
  /// A value that no attribute can have, by the name of its type.
  case other(String)
}

/// The features of a list that its SQL depends on.
struct ListShape: Hashable, Sendable {
  let form: Form
  /// Whether a null is among the elements; `form` ignores nulls.
  let hasNull: Bool

  enum Form: Hashable, Sendable {
    /// One parameter for each element.
    ///
    /// Longer lists are padded with their last element, so that there are few different statements.
    case parameters(Int)
    /// Integers or objects, in an integer array.
    case integers
    /// Texts, as one JSON parameter.
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
      self = .parameters(Self.padded(count))
    }
  }

  private static func padded(_ count: Int) -> Int {
    let step = Limits.paddingStep
    if count <= Limits.integersInText { return count }
    if count <= step { return count.nextPowerOfTwo }
    let rounded = (count + step - 1) / step * step
    return rounded <= Limits.values - step ? rounded : count
  }
}

extension Int {
  /// The smallest power of two that is not less than the number.
  fileprivate var nextPowerOfTwo: Int {
    self < 2 ? self : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
  }
}
