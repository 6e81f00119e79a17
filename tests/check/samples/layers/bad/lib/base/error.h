#include "net/ipaddr.h" /* BAD: upwards */
#include "plan.h" /* BAD: of the plugin */
#include "base/error.h"
