import Synchronization

/// Remembers the translations of the fetches that were asked for last, by what they depend on.
///
/// It has two generations: what is used moves to the young one, and when that is full, the old one
/// is forgotten. So it needs no list of uses, and holds at most `capacity` translations.
final class TranslationCache<Shape: Hashable & Sendable, Translation: Sendable>: Sendable {
  private struct Generations {
    var young: [Shape: Translation] = [:]
    var old: [Shape: Translation] = [:]
  }

  private let capacity: Int
  private let generations = Mutex(Generations())

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { generations.withLock { $0.young.count + $0.old.count } }

  /// The translation of a shape, if it is remembered.
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
