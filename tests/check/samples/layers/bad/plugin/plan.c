#include "nothing.h" /* BAD */
