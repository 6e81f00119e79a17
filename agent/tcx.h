/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Attach types of linux/bpf.h from 6.6 on. libbpf 1.1 doesn't know them and passes them on. */
#include <linux/bpf.h>

#define TCX_INGRESS ((enum bpf_attach_type)46)
#define TCX_EGRESS ((enum bpf_attach_type)47)
