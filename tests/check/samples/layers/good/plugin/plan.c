#include "plan.h"
#include "nft/masq.h"
