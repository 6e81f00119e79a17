/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The bytes of a frame, wherever they are
 *
 * A pod decides how its packets lie in memory: what isn't in the linear part is copied, never taken
 * for missing. A frame that ends too early is no error here: the caller is told, and the kernel
 * gets the frame.
 */
#include <linux/if_ether.h>

#include "lib/helpers.bpf.h"

#define VLAN_ID_MASK 0x0fff

/* struct ethhdr is packed, which would have every field read by the byte. */
struct ethernet {
	__be16 dest[3];
	__be16 source[3];
	__be16 type;
};

struct vlan_tag {
	__be16 tci;
	__be16 type; /* of what follows */
};

/* @len bytes at @off: in the frame, or copied to @room. NULL: the frame is shorter. */
static __always_inline const void *frame_bytes(struct __sk_buff *skb, __u32 off, void *room,
					       __u32 len)
{
	const void *data = (void *)(long)skb->data;
	const void *end = (void *)(long)skb->data_end;

	if (data + off + len <= end)
		return data + off;
	return bpf_skb_load_bytes(skb, off, room, len) < 0 ? NULL : room;
}

enum frame_tags {
	FRAME_PLAIN,
	FRAME_CUT,
	FRAME_VLAN,  /* of a VLAN: nobody's here */
	FRAME_TOWER, /* more tags than anybody has a use for */
};

static __always_inline bool is_vlan(__be16 type)
{
	return type == bpf_htons(ETH_P_8021Q) || type == bpf_htons(ETH_P_8021AD);
}

/*
 * A tag of VLAN 0 carries a priority only, and the kernel takes what is under it as if the tag
 * weren't there, any number of them: no place to hide a source in. The outermost is in the skb
 * already, so the one that is looked under here is one more than there's a use for.
 * @type and @off go from the tag to what is under it.
 */
static __always_inline enum frame_tags frame_skip_tags(struct __sk_buff *skb, __be16 *type,
						       __u32 *off)
{
	const struct vlan_tag *tag;
	struct vlan_tag room;

	if (skb->vlan_present && (skb->vlan_tci & VLAN_ID_MASK))
		return FRAME_VLAN;
	if (!is_vlan(*type))
		return FRAME_PLAIN;
	tag = frame_bytes(skb, *off, &room, sizeof(room));
	if (!tag)
		return FRAME_CUT;
	if (tag->tci & bpf_htons(VLAN_ID_MASK))
		return FRAME_VLAN;
	*type = tag->type;
	*off += sizeof(*tag);
	return is_vlan(*type) ? FRAME_TOWER : FRAME_PLAIN;
}
