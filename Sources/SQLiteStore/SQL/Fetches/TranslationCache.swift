import Synchronization

/// A cache of the most recently used translations.
///
/// It has two generations: a used translation moves to the young one. When that is full, it becomes
/// the old one, and the previous old one is dropped. So it needs no list of uses, and contains at
/// most `capacity` translations.
final class TranslationCache<Shape: Hashable & Sendable, Translation: Sendable>: Sendable {
  private struct Generations {
    var young: [Shape: Translation] = [:]
    var old: [Shape: Translation] = [:]
  }

  private let capacity: Int
  private let generations = Mutex(Generations())

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { generations.withLock { $0.young.count + $0.old.count } }

  /// The translation of a shape, if it is cached.
  func translation(of shape: Shape) -> Translation? {
    generations.withLock { generations in
      if let known = generations.young[shape] { return known }
      guard let known = generations.old.removeValue(forKey: shape) else { return nil }
      insert(known, of: shape, into: &generations)
      return known
    }
  }

  func remember(_ translation: Translation, of shape: Shape) {
    generations.withLock { insert(translation, of: shape, into: &$0) }
  }

  func removeAll() { generations.withLock { $0 = Generations() } }

  private func insert(
    _ translation: Translation, of shape: Shape, into generations: inout Generations
  ) {
    if generations.young.count >= capacity / 2, generations.young[shape] == nil {
      generations.old = generations.young
      generations.young = [:]
    }
    generations.young[shape] = translation
    generations.old[shape] = nil
  }
}
