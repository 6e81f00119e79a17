#include "base/error.h"
#include <netinet/in.h>
