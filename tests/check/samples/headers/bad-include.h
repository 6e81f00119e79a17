#pragma once
size_t length(void); /* BAD: without stddef.h */
