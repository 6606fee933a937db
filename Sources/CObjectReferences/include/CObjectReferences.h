#ifndef PARHELION_OBJECT_REFERENCES_H
#define PARHELION_OBJECT_REFERENCES_H

#include <stddef.h>
#include <stdint.h>

/// Retains an object and returns it, or returns NULL if the object's deinitializer has started.
///
/// This is a stable function of Swift's runtime, which also reads weak references with it. A table
/// may replace weak references by it, and save their memory, if each object's deinitializer removes
/// the object from the table, under the lock of all lookups.
void *swift_tryRetain(void *object);

/// Allocates an object of a class without initializing its properties.
///
/// This is a stable function of Swift's runtime, which initializers call first.
///
/// - Parameter alignmentMask: One less than the alignment.
void *swift_allocObject(const void *metadata, size_t bytes, size_t alignmentMask);

/// Retains an object several times at the cost of one retain.
///
/// This is a stable function of Swift's runtime, which compiled code calls for several retains at
/// once.
void *swift_retain_n(void *object, uint32_t count);

#endif
