#include <netlink/msg.h>
#include "json/jdec.h"
/*
#include "plan.h"
*/
