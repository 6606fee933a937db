#include "CObjectReferences.h"
