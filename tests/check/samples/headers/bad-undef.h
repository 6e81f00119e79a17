#pragma once
#if PW_FEATURE /* BAD: undefined */
#endif
