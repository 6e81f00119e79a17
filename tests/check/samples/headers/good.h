#pragma once
#include <stdint.h>

struct pw_error;

#define TAKE(n)                  \
	({                       \
		uint32_t m = (n); \
		(n) = 0;         \
		m;               \
	})

static inline uint32_t twice(uint32_t n)
{
	return n * 2;
}

int add(struct pw_error *err);
