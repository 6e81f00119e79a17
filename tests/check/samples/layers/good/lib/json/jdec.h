#include <json-c/json_object.h>
#include "base/error.h"
#include "net/ipaddr.h"
