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
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"

/* nft's numbers for data types; the kernel only keeps them. */
#define TYPE_IPV4_ADDR 7
#define TYPE_IPV6_ADDR 8

/* nft's user data: of a set, and of an element. */
#define SET_KEY_BYTEORDER 0
#define BYTEORDER_BIG_ENDIAN 2
#define ELEM_COMMENT 0
#define ELEM_FLAGS 1
#define ELEM_FLAG_OPEN 1

/* An attribute's 16-bit length bounds the list in one message. */
#define ELEMENT_SIZE 128
#define ELEMENTS_A_MESSAGE 400

/* Where an address is in its header, and which header. */
struct field {
	uint8_t nfproto;
	uint32_t saddr, daddr, len;
};

static struct field field_of(int family)
{
	if (family == AF_INET)
		return (struct field){ NFPROTO_IPV4, 12, 16, 4 };
	return (struct field){ NFPROTO_IPV6, 8, 24, 16 };
}

const char *ruleset_pods(int family, const char *hash, char *ret)
{
	snprintf(ret, RULESET_NAMELEN, family == AF_INET ? "pods4_%s" : "pods6_%s", hash);
	return ret;
}

const char *ruleset_excluded(int family, const char *hash, char *ret)
{
	snprintf(ret, RULESET_NAMELEN, family == AF_INET ? "not4_%s" : "not6_%s", hash);
	return ret;
}

const char *ruleset_hash(const char *set)
{
	const char *hash = set + strlen("pods4_");

	if (strncmp(set, "pods4_", strlen("pods4_")) != 0 &&
	    strncmp(set, "pods6_", strlen("pods6_")) != 0)
		return NULL;
	if (strlen(hash) != EXCLUSIONS_NAMELEN - 1 ||
	    strspn(hash, "0123456789abcdef") != EXCLUSIONS_NAMELEN - 1)
		return NULL;
	return hash;
}

const char *ruleset_rule(int family, const char *hash, char *ret)
{
	char pods[RULESET_NAMELEN], excluded[RULESET_NAMELEN];

	snprintf(ret, RULESET_RULELEN, "meta cmp payload lookup@%s payload lookup!@%s masq",
		 ruleset_pods(family, hash, pods), ruleset_excluded(family, hash, excluded));
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

static void add_set(struct batch *b, int family, const char *name, uint32_t flags)
{
	uint8_t udata[6];

	batch_begin(b, NFT_MSG_NEWSET, NLM_F_CREATE, 256, "add set %s", name);
	batch_put_string(b, NFTA_SET_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_SET_NAME, name);
	batch_put_u32(b, NFTA_SET_FLAGS, flags);
	batch_put_u32(b, NFTA_SET_KEY_TYPE, family == AF_INET ? TYPE_IPV4_ADDR : TYPE_IPV6_ADDR);
	batch_put_u32(b, NFTA_SET_KEY_LEN, field_of(family).len);
	batch_put_u32(b, NFTA_SET_ID, ++b->set_id);
	batch_put(b, NFTA_SET_USERDATA, udata,
		  udata_u32(udata, SET_KEY_BYTEORDER, BYTEORDER_BIG_ENDIAN));
}

void ruleset_add_pods(struct batch *b, int family, const char *hash)
{
	char name[RULESET_NAMELEN];

	add_set(b, family, ruleset_pods(family, hash, name), 0);
}

void ruleset_add_excluded(struct batch *b, int family, const char *hash)
{
	char name[RULESET_NAMELEN];

	add_set(b, family, ruleset_excluded(family, hash, name), NFT_SET_INTERVAL);
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

/* Only packets of @nfproto go on. */
static void put_family(struct batch *b, uint8_t nfproto)
{
	struct nlattr *data;
	struct expr e;

	e = begin_expr(b, "meta");
	batch_put_u32(b, NFTA_META_KEY, NFT_META_NFPROTO);
	batch_put_u32(b, NFTA_META_DREG, NFT_REG_1);
	end_expr(b, e);

	e = begin_expr(b, "cmp");
	batch_put_u32(b, NFTA_CMP_SREG, NFT_REG_1);
	batch_put_u32(b, NFTA_CMP_OP, NFT_CMP_EQ);
	data = batch_nest(b, NFTA_CMP_DATA);
	batch_put(b, NFTA_DATA_VALUE, &nfproto, sizeof(nfproto));
	batch_end(b, data);
	end_expr(b, e);
}

/* Only packets whose address at @offset is in @set, or isn't with NFT_LOOKUP_F_INV, go on. */
static void put_lookup(struct batch *b, uint32_t offset, uint32_t len, const char *set,
		       uint32_t flags)
{
	struct expr e;

	e = begin_expr(b, "payload");
	batch_put_u32(b, NFTA_PAYLOAD_DREG, NFT_REG_1);
	batch_put_u32(b, NFTA_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
	batch_put_u32(b, NFTA_PAYLOAD_OFFSET, offset);
	batch_put_u32(b, NFTA_PAYLOAD_LEN, len);
	end_expr(b, e);

	e = begin_expr(b, "lookup");
	batch_put_u32(b, NFTA_LOOKUP_SREG, NFT_REG_1);
	batch_put_string(b, NFTA_LOOKUP_SET, set);
	if (flags)
		batch_put_u32(b, NFTA_LOOKUP_FLAGS, flags);
	end_expr(b, e);
}

void ruleset_add_rule(struct batch *b, int family, const char *hash)
{
	char pods[RULESET_NAMELEN], excluded[RULESET_NAMELEN];
	struct field f = field_of(family);
	struct nlattr *exprs;

	ruleset_pods(family, hash, pods);
	ruleset_excluded(family, hash, excluded);
	batch_begin(b, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND, 1024, "add rule for set %s",
		    pods);
	batch_put_string(b, NFTA_RULE_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_RULE_CHAIN, RULESET_HOOK);
	exprs = batch_nest(b, NFTA_RULE_EXPRESSIONS);
	put_family(b, f.nfproto);
	put_lookup(b, f.saddr, f.len, pods, 0);
	put_lookup(b, f.daddr, f.len, excluded, NFT_LOOKUP_F_INV);
	end_expr(b, begin_expr(b, "masq"));
	batch_end(b, exprs);
}

/* A message on elements of @set, with the list still open. */
static struct nlattr *begin_elements(struct batch *b, uint8_t type, uint16_t flags, size_t n,
				     const char *set, const char *what)
{
	batch_begin(b, type, flags, 128 + n * ELEMENT_SIZE, "%s of %s", what, set);
	batch_put_string(b, NFTA_SET_ELEM_LIST_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_SET_ELEM_LIST_SET, set);
	return batch_nest(b, NFTA_SET_ELEM_LIST_ELEMENTS);
}

static void put_key(struct batch *b, const struct ipaddr *key)
{
	struct nlattr *k = batch_nest(b, NFTA_SET_ELEM_KEY);

	batch_put(b, NFTA_DATA_VALUE, key->b, ipaddr_size(key));
	batch_end(b, k);
}

static void put_bound(struct batch *b, const struct exclusions_bound *bound)
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

int ruleset_add_bounds(struct batch *b, int family, const struct exclusions *e,
		       struct pw_error *err)
{
	_cleanup_(freep) struct exclusions_bound *bounds = NULL;
	char set[RULESET_NAMELEN];
	size_t n = 0;
	int r;

	r = exclusions_bounds(e, family, &bounds, &n, err);
	if (r < 0)
		return r;
	ruleset_excluded(family, e->name, set);
	for (size_t i = 0; i < n;) {
		struct nlattr *list = begin_elements(b, NFT_MSG_NEWSETELEM, NLM_F_CREATE,
						     ELEMENTS_A_MESSAGE, set, "add elements");

		for (size_t end = i + ELEMENTS_A_MESSAGE; i < n && i < end; i++)
			put_bound(b, &bounds[i]);
		batch_end(b, list);
	}
	return 0;
}

static void put_element(struct batch *b, const struct ruleset_element *element)
{
	struct nlattr *elem = batch_nest(b, NFTA_LIST_ELEM);
	size_t len = strlen(element->owner) + 1;
	uint8_t udata[2 + IFNAMSIZ] = { ELEM_COMMENT, (uint8_t)len };

	put_key(b, &element->address);
	memcpy(udata + 2, element->owner, len);
	batch_put(b, NFTA_SET_ELEM_USERDATA, udata, 2 + len);
	batch_end(b, elem);
}

void ruleset_add_elements(struct batch *b, const struct ruleset_element *elements, size_t n)
{
	char set[RULESET_NAMELEN];

	for (size_t i = 0; i < n;) {
		size_t left = n - i < ELEMENTS_A_MESSAGE ? n - i : ELEMENTS_A_MESSAGE;
		struct nlattr *list;

		ruleset_pods(elements[i].address.family, elements[i].hash, set);
		list = begin_elements(b, NFT_MSG_NEWSETELEM, NLM_F_CREATE | NLM_F_EXCL, left, set,
				      "add elements");
		for (; left > 0; left--, i++)
			put_element(b, &elements[i]);
		batch_end(b, list);
	}
}

void ruleset_delete_element(struct batch *b, const struct ruleset_element *element)
{
	char set[RULESET_NAMELEN];
	struct nlattr *list, *elem;

	ruleset_pods(element->address.family, element->hash, set);
	list = begin_elements(b, NFT_MSG_DELSETELEM, 0, 1, set, "delete element");
	elem = batch_nest(b, NFTA_LIST_ELEM);
	put_key(b, &element->address);
	batch_end(b, elem);
	batch_end(b, list);
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
