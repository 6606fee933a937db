#ifndef PARHELION_MODEL_REGISTRY_H
#define PARHELION_MODEL_REGISTRY_H

/// A function that registers one generated model with the Swift side.
typedef void (*parhelion_model_registration)(void);

/// Adds a registration to the process-wide list. Safe from any thread.
///
/// Generated code calls this when it is loaded, perhaps before the Swift standard library is ready.
/// So this is C and uses no Swift state.
void parhelion_model_registry_push(parhelion_model_registration registration);

/// Removes and returns the oldest registration, or NULL if the list is empty. Safe from any thread.
parhelion_model_registration parhelion_model_registry_pop(void);

#endif
