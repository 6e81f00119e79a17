#include <json-c/json_object.h> /* BAD: JSON */
#include <netlink/msg.h> /* BAD: netlink */
#include "ipaddr.h" /* BAD: without its folder */
#include "json/jdec.h" /* BAD: upwards */
