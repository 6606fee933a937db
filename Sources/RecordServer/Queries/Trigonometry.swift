import Glibc

/// Trigonometric functions from the C library.
enum Trigonometry {
  static func of(_ angle: Double) -> Double { sin(angle) }
  static func cosine(of angle: Double) -> Double { cos(angle) }
  static func arc(of sine: Double) -> Double { asin(sine) }
}
