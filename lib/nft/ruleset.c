/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What podwire's table looks like
 *
 * Every attribute is as nft 1.0 sends it for the ruleset in the header, so that nft prints it as it
 * would print its own. User data (comments, byte orders) is nft's: type, length, value.
 */
#include "nft/ruleset.h"

#include <arpa/inet.h>
#include <endian.h>
#include <inttypes.h>
#include <linux/netfilter.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"

/* nft's numbers for data types; the kernel only keeps them. */
#define TYPE_IPV4_ADDR 7
#define TYPE_IPV6_ADDR 8

/* nft's user data: of a set, and of an element. */
#define SET_KEY_BYTEORDER 0
#define BYTEORDER_BIG_ENDIAN 2
#define ELEM_FLAGS 1
#define ELEM_FLAG_OPEN 1

/* An attribute's 16-bit length bounds the list in one message. */
#define ELEMENT_SIZE 128
#define ELEMENTS_A_MESSAGE 400

/* Links of other groups have smaller numbers, and ip(8) takes none that is negative as an int. */
#define GROUP_MIN (UINT32_C(1) << 30)

/* Where the addresses are in a packet's header, and which header. */
struct field {
	uint8_t nfproto;
	uint32_t offset[2]; /* by enum ruleset_side */
	uint32_t len;
};

static struct field field_of(int family)
{
	if (family == AF_INET)
		return (struct field){ NFPROTO_IPV4, { 12, 16 }, 4 };
	return (struct field){ NFPROTO_IPV6, { 8, 24 }, 16 };
}

static const char *const prefix[2][2] = { { "from4_", "from6_" }, { "to4_", "to6_" } };

const char *ruleset_set(enum ruleset_side side, int family, const char *hash, char *ret)
{
	snprintf(ret, RULESET_NAMELEN, "%s%s", prefix[side][family == AF_INET6], hash);
	return ret;
}

const char *ruleset_hash(const char *set, enum ruleset_side *ret_side)
{
	for (size_t i = 0; i < 4; i++) {
		const char *p = prefix[i / 2][i % 2], *hash = set + strlen(p);

		if (strncmp(set, p, strlen(p)) != 0 || strlen(hash) != PREFIXES_NAMELEN - 1 ||
		    strspn(hash, "0123456789abcdef") != PREFIXES_NAMELEN - 1)
			continue;
		*ret_side = (enum ruleset_side)(i / 2);
		return hash;
	}
	return NULL;
}

uint32_t ruleset_group(const char *hash)
{
	return GROUP_MIN | ((uint32_t)strtoull(hash, NULL, 16) & (GROUP_MIN - 1));
}

/* Appends to @text; the last one is the longest, so that nothing is ever cut. */
static size_t describe_lookup(char *text, size_t len, const struct field *f, enum ruleset_side side,
			      const char *set)
{
	return len + (size_t)snprintf(text + len, RULESET_RULELEN - len,
				      " payload@%" PRIu32 "+%" PRIu32 " lookup!@%s",
				      f->offset[side], f->len, set);
}

const char *ruleset_rule(int family, const struct ruleset_key *key, char *ret)
{
	uint32_t group = ruleset_group(key->hash);
	struct field f = field_of(family);
	const uint8_t *g = (const uint8_t *)&group;
	char set[RULESET_NAMELEN];
	size_t len;

	len = (size_t)snprintf(ret, RULESET_RULELEN,
			       "meta:%d cmp=%02x%02x%02x%02x meta:%d cmp=%02x", NFT_META_IIFGROUP,
			       g[0], g[1], g[2], g[3], NFT_META_NFPROTO, f.nfproto);
	if (key->from)
		len = describe_lookup(ret, len, &f, RULESET_FROM,
				      ruleset_set(RULESET_FROM, family, key->hash, set));
	len = describe_lookup(ret, len, &f, RULESET_TO,
			      ruleset_set(RULESET_TO, family, key->hash, set));
	snprintf(ret + len, RULESET_RULELEN - len, " masq");
	return ret;
}

void ruleset_add_table(struct batch *b)
{
	batch_begin(b, NFT_MSG_NEWTABLE, NLM_F_CREATE, 128, "add table");
	batch_put_string(b, NFTA_TABLE_NAME, RULESET_TABLE);
	batch_put_u32(b, NFTA_TABLE_FLAGS, 0);
}

/* User data that holds a number: nft writes it in the machine's order. */
static size_t udata_u32(uint8_t *at, uint8_t type, uint32_t value)
{
	at[0] = type;
	at[1] = sizeof(value);
	memcpy(at + 2, &value, sizeof(value));
	return 2 + sizeof(value);
}

void ruleset_add_set(struct batch *b, enum ruleset_side side, int family, const char *hash)
{
	char name[RULESET_NAMELEN];
	uint8_t udata[6];

	ruleset_set(side, family, hash, name);
	batch_begin(b, NFT_MSG_NEWSET, NLM_F_CREATE, 256, "add set %s", name);
	batch_put_string(b, NFTA_SET_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_SET_NAME, name);
	batch_put_u32(b, NFTA_SET_FLAGS, NFT_SET_INTERVAL);
	batch_put_u32(b, NFTA_SET_KEY_TYPE, family == AF_INET ? TYPE_IPV4_ADDR : TYPE_IPV6_ADDR);
	batch_put_u32(b, NFTA_SET_KEY_LEN, field_of(family).len);
	batch_put_u32(b, NFTA_SET_ID, ++b->set_id);
	batch_put(b, NFTA_SET_USERDATA, udata,
		  udata_u32(udata, SET_KEY_BYTEORDER, BYTEORDER_BIG_ENDIAN));
}

void ruleset_add_chain(struct batch *b)
{
	struct nlattr *hook;

	batch_begin(b, NFT_MSG_NEWCHAIN, NLM_F_CREATE, 256, "add chain " RULESET_HOOK);
	batch_put_string(b, NFTA_CHAIN_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_CHAIN_NAME, RULESET_HOOK);
	hook = batch_nest(b, NFTA_CHAIN_HOOK);
	batch_put_u32(b, NFTA_HOOK_HOOKNUM, NF_INET_POST_ROUTING);
	batch_put_u32(b, NFTA_HOOK_PRIORITY, RULESET_PRIORITY);
	batch_end(b, hook);
	batch_put_u32(b, NFTA_CHAIN_POLICY, NF_ACCEPT);
	batch_put_string(b, NFTA_CHAIN_TYPE, "nat");
}

struct expr {
	struct nlattr *elem, *data;
};

static struct expr begin_expr(struct batch *b, const char *name)
{
	struct expr e;

	e.elem = batch_nest(b, NFTA_LIST_ELEM);
	batch_put_string(b, NFTA_EXPR_NAME, name);
	e.data = batch_nest(b, NFTA_EXPR_DATA);
	return e;
}

static void end_expr(struct batch *b, struct expr e)
{
	batch_end(b, e.data);
	batch_end(b, e.elem);
}

/* Only packets go on whose @key is @value, as nft keeps it: in the machine's order. */
static void put_meta(struct batch *b, uint32_t key, const void *value, size_t len)
{
	struct nlattr *data;
	struct expr e;

	e = begin_expr(b, "meta");
	batch_put_u32(b, NFTA_META_KEY, key);
	batch_put_u32(b, NFTA_META_DREG, NFT_REG_1);
	end_expr(b, e);

	e = begin_expr(b, "cmp");
	batch_put_u32(b, NFTA_CMP_SREG, NFT_REG_1);
	batch_put_u32(b, NFTA_CMP_OP, NFT_CMP_EQ);
	data = batch_nest(b, NFTA_CMP_DATA);
	batch_put(b, NFTA_DATA_VALUE, value, len);
	batch_end(b, data);
	end_expr(b, e);
}

/* Only packets whose address of this side isn't in @set go on. */
static void put_lookup(struct batch *b, const struct field *f, enum ruleset_side side,
		       const char *set)
{
	struct expr e;

	e = begin_expr(b, "payload");
	batch_put_u32(b, NFTA_PAYLOAD_DREG, NFT_REG_1);
	batch_put_u32(b, NFTA_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
	batch_put_u32(b, NFTA_PAYLOAD_OFFSET, f->offset[side]);
	batch_put_u32(b, NFTA_PAYLOAD_LEN, f->len);
	end_expr(b, e);

	e = begin_expr(b, "lookup");
	batch_put_u32(b, NFTA_LOOKUP_SREG, NFT_REG_1);
	batch_put_string(b, NFTA_LOOKUP_SET, set);
	batch_put_u32(b, NFTA_LOOKUP_FLAGS, NFT_LOOKUP_F_INV);
	end_expr(b, e);
}

void ruleset_add_rule(struct batch *b, int family, const struct ruleset_key *key)
{
	uint32_t group = ruleset_group(key->hash);
	struct field f = field_of(family);
	char set[RULESET_NAMELEN];
	struct nlattr *exprs;

	batch_begin(b, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND, 1024,
		    "add rule for link group %" PRIu32, group);
	batch_put_string(b, NFTA_RULE_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_RULE_CHAIN, RULESET_HOOK);
	exprs = batch_nest(b, NFTA_RULE_EXPRESSIONS);
	put_meta(b, NFT_META_IIFGROUP, &group, sizeof(group));
	put_meta(b, NFT_META_NFPROTO, &f.nfproto, sizeof(f.nfproto));
	if (key->from)
		put_lookup(b, &f, RULESET_FROM, ruleset_set(RULESET_FROM, family, key->hash, set));
	put_lookup(b, &f, RULESET_TO, ruleset_set(RULESET_TO, family, key->hash, set));
	end_expr(b, begin_expr(b, "masq"));
	batch_end(b, exprs);
}

static void put_key(struct batch *b, const struct ipaddr *key)
{
	struct nlattr *k = batch_nest(b, NFTA_SET_ELEM_KEY);

	batch_put(b, NFTA_DATA_VALUE, key->b, ipaddr_size(key));
	batch_end(b, k);
}

static void put_bound(struct batch *b, const struct prefixes_bound *bound)
{
	struct nlattr *elem = batch_nest(b, NFTA_LIST_ELEM);
	uint8_t udata[6];

	if (bound->end)
		batch_put_u32(b, NFTA_SET_ELEM_FLAGS, NFT_SET_ELEM_INTERVAL_END);
	put_key(b, &bound->key);
	if (bound->open)
		batch_put(b, NFTA_SET_ELEM_USERDATA, udata,
			  udata_u32(udata, ELEM_FLAGS, ELEM_FLAG_OPEN));
	batch_end(b, elem);
}

int ruleset_add_bounds(struct batch *b, const char *set, int family,
		       const struct prefixes *prefixes, struct pw_error *err)
{
	_cleanup_(freep) struct prefixes_bound *bounds = NULL;
	size_t n = 0;
	int r;

	r = prefixes_bounds(prefixes, family, &bounds, &n, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n;) {
		struct nlattr *list;

		batch_begin(b, NFT_MSG_NEWSETELEM, NLM_F_CREATE,
			    128 + ELEMENTS_A_MESSAGE * ELEMENT_SIZE, "add elements of %s", set);
		batch_put_string(b, NFTA_SET_ELEM_LIST_TABLE, RULESET_TABLE);
		batch_put_string(b, NFTA_SET_ELEM_LIST_SET, set);
		list = batch_nest(b, NFTA_SET_ELEM_LIST_ELEMENTS);
		for (size_t end = i + ELEMENTS_A_MESSAGE; i < n && i < end; i++)
			put_bound(b, &bounds[i]);
		batch_end(b, list);
	}
	return 0;
}

void ruleset_flush_set(struct batch *b, const char *set)
{
	batch_begin(b, NFT_MSG_DELSETELEM, 0, 128, "flush set %s", set);
	batch_put_string(b, NFTA_SET_ELEM_LIST_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_SET_ELEM_LIST_SET, set);
}

void ruleset_delete_set(struct batch *b, const char *set)
{
	batch_begin(b, NFT_MSG_DELSET, 0, 128, "delete set %s", set);
	batch_put_string(b, NFTA_SET_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_SET_NAME, set);
}

void ruleset_delete_rule(struct batch *b, uint64_t handle)
{
	uint64_t be = htobe64(handle);

	batch_begin(b, NFT_MSG_DELRULE, 0, 128, "delete rule %" PRIu64, handle);
	batch_put_string(b, NFTA_RULE_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_RULE_CHAIN, RULESET_HOOK);
	batch_put(b, NFTA_RULE_HANDLE, &be, sizeof(be));
}

void ruleset_delete_chain(struct batch *b)
{
	batch_begin(b, NFT_MSG_DELCHAIN, 0, 128, "delete chain " RULESET_HOOK);
	batch_put_string(b, NFTA_CHAIN_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_CHAIN_NAME, RULESET_HOOK);
}

void ruleset_delete_table(struct batch *b)
{
	batch_begin(b, NFT_MSG_DELTABLE, 0, 128, "delete table");
	batch_put_string(b, NFTA_TABLE_NAME, RULESET_TABLE);
}
