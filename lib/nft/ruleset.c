/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What podwire's table looks like
 *
 * Every attribute is as nft 1.0 sends it for the ruleset in the header, so that nft prints it as
 * it would print its own. User data (comments, byte orders) is nft's: type, length, value.
 */
#include "nft/ruleset.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"

/* nft's numbers for data types; the kernel only keeps them. */
#define TYPE_IPV4_ADDR 7
#define TYPE_IPV6_ADDR 8
#define TYPE_VERDICT 0xffffff00

/* nft's user data: of a set, and of an element. */
#define SET_KEY_BYTEORDER 0
#define SET_DATA_BYTEORDER 1
#define SET_DATA_INTERVAL 6
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

const char *ruleset_map(int family)
{
	return family == AF_INET ? "pods4" : "pods6";
}

const char *ruleset_chain(const char *hash, char *ret)
{
	snprintf(ret, RULESET_NAMELEN, RULESET_CHAIN_PREFIX "%s", hash);
	return ret;
}

const char *ruleset_set(int family, const char *hash, char *ret)
{
	snprintf(ret, RULESET_NAMELEN, family == AF_INET ? "not4_%s" : "not6_%s", hash);
	return ret;
}

const char *ruleset_hook_rule(int family, char *ret)
{
	snprintf(ret, RULESET_RULELEN, "meta cmp payload lookup@%s", ruleset_map(family));
	return ret;
}

const char *ruleset_return_rule(int family, const char *hash, char *ret)
{
	char set[RULESET_NAMELEN];

	snprintf(ret, RULESET_RULELEN, "meta cmp payload lookup@%s immediate",
		 ruleset_set(family, hash, set));
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
	uint8_t udata[18];
	size_t len;

	batch_begin(b, NFT_MSG_NEWSET, NLM_F_CREATE, 256, "add set %s", name);
	batch_put_string(b, NFTA_SET_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_SET_NAME, name);
	batch_put_u32(b, NFTA_SET_FLAGS, flags);
	batch_put_u32(b, NFTA_SET_KEY_TYPE, family == AF_INET ? TYPE_IPV4_ADDR : TYPE_IPV6_ADDR);
	batch_put_u32(b, NFTA_SET_KEY_LEN, field_of(family).len);
	batch_put_u32(b, NFTA_SET_ID, ++b->set_id);

	len = udata_u32(udata, SET_KEY_BYTEORDER, BYTEORDER_BIG_ENDIAN);
	if (flags & NFT_SET_MAP) {
		batch_put_u32(b, NFTA_SET_DATA_TYPE, TYPE_VERDICT);
		batch_put_u32(b, NFTA_SET_DATA_LEN, 0);
		len += udata_u32(udata + len, SET_DATA_BYTEORDER, 0);
		len += udata_u32(udata + len, SET_DATA_INTERVAL, 0);
	}
	batch_put(b, NFTA_SET_USERDATA, udata, len);
}

void ruleset_add_map(struct batch *b, int family)
{
	add_set(b, family, ruleset_map(family), NFT_SET_MAP);
}

void ruleset_add_set(struct batch *b, int family, const char *hash)
{
	char name[RULESET_NAMELEN];

	add_set(b, family, ruleset_set(family, hash, name), NFT_SET_INTERVAL);
}

static void begin_chain(struct batch *b, const char *chain)
{
	batch_begin(b, NFT_MSG_NEWCHAIN, NLM_F_CREATE, 256, "add chain %s", chain);
	batch_put_string(b, NFTA_CHAIN_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_CHAIN_NAME, chain);
}

void ruleset_add_hook_chain(struct batch *b)
{
	struct nlattr *hook;

	begin_chain(b, RULESET_HOOK);
	hook = batch_nest(b, NFTA_CHAIN_HOOK);
	batch_put_u32(b, NFTA_HOOK_HOOKNUM, NF_INET_POST_ROUTING);
	batch_put_u32(b, NFTA_HOOK_PRIORITY, RULESET_PRIORITY);
	batch_end(b, hook);
	batch_put_u32(b, NFTA_CHAIN_POLICY, NF_ACCEPT);
	batch_put_string(b, NFTA_CHAIN_TYPE, "nat");
}

void ruleset_add_chain(struct batch *b, const char *hash)
{
	char chain[RULESET_NAMELEN];

	begin_chain(b, ruleset_chain(hash, chain));
}

/* A rule's list of expressions. */
static struct nlattr *begin_rule(struct batch *b, const char *chain)
{
	batch_begin(b, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND, 768, "add rule to chain %s",
		    chain);
	batch_put_string(b, NFTA_RULE_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_RULE_CHAIN, chain);
	return batch_nest(b, NFTA_RULE_EXPRESSIONS);
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

/* Only packets of @family, with the address at @offset in register 1. */
static void put_address(struct batch *b, int family, uint32_t offset)
{
	struct field f = field_of(family);
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
	batch_put(b, NFTA_DATA_VALUE, &f.nfproto, sizeof(f.nfproto));
	batch_end(b, data);
	end_expr(b, e);

	e = begin_expr(b, "payload");
	batch_put_u32(b, NFTA_PAYLOAD_DREG, NFT_REG_1);
	batch_put_u32(b, NFTA_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
	batch_put_u32(b, NFTA_PAYLOAD_OFFSET, offset);
	batch_put_u32(b, NFTA_PAYLOAD_LEN, f.len);
	end_expr(b, e);
}

static void put_verdict(struct batch *b, int attr, int verdict, const char *chain)
{
	struct nlattr *data = batch_nest(b, attr), *v = batch_nest(b, NFTA_DATA_VERDICT);

	batch_put_u32(b, NFTA_VERDICT_CODE, (uint32_t)verdict);
	if (chain)
		batch_put_string(b, NFTA_VERDICT_CHAIN, chain);
	batch_end(b, v);
	batch_end(b, data);
}

static void add_hook_rule(struct batch *b, int family)
{
	struct nlattr *rule = begin_rule(b, RULESET_HOOK);
	struct expr e;

	put_address(b, family, field_of(family).saddr);
	e = begin_expr(b, "lookup");
	batch_put_u32(b, NFTA_LOOKUP_SREG, NFT_REG_1);
	batch_put_u32(b, NFTA_LOOKUP_DREG, NFT_REG_VERDICT);
	batch_put_string(b, NFTA_LOOKUP_SET, ruleset_map(family));
	end_expr(b, e);
	batch_end(b, rule);
}

void ruleset_add_hook_rules(struct batch *b)
{
	add_hook_rule(b, AF_INET);
	add_hook_rule(b, AF_INET6);
}

static void add_return_rule(struct batch *b, int family, const char *hash)
{
	char name[RULESET_NAMELEN];
	struct nlattr *rule = begin_rule(b, ruleset_chain(hash, name));
	struct expr e;

	put_address(b, family, field_of(family).daddr);
	e = begin_expr(b, "lookup");
	batch_put_u32(b, NFTA_LOOKUP_SREG, NFT_REG_1);
	batch_put_string(b, NFTA_LOOKUP_SET, ruleset_set(family, hash, name));
	end_expr(b, e);

	e = begin_expr(b, "immediate");
	batch_put_u32(b, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
	put_verdict(b, NFTA_IMMEDIATE_DATA, NFT_RETURN, NULL);
	end_expr(b, e);
	batch_end(b, rule);
}

void ruleset_add_chain_rules(struct batch *b, const char *hash)
{
	char chain[RULESET_NAMELEN];
	struct nlattr *rule;

	add_return_rule(b, AF_INET, hash);
	add_return_rule(b, AF_INET6, hash);

	rule = begin_rule(b, ruleset_chain(hash, chain));
	end_expr(b, begin_expr(b, "masq"));
	batch_end(b, rule);
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
	ruleset_set(family, e->name, set);
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
	put_verdict(b, NFTA_SET_ELEM_DATA, NFT_JUMP, element->chain);
	memcpy(udata + 2, element->owner, len);
	batch_put(b, NFTA_SET_ELEM_USERDATA, udata, 2 + len);
	batch_end(b, elem);
}

void ruleset_add_elements(struct batch *b, const struct ruleset_element *elements, size_t n)
{
	for (size_t i = 0; i < n;) {
		const char *map = ruleset_map(elements[i].address.family);
		size_t left = n - i < ELEMENTS_A_MESSAGE ? n - i : ELEMENTS_A_MESSAGE;
		struct nlattr *list =
			begin_elements(b, NFT_MSG_NEWSETELEM, NLM_F_CREATE | NLM_F_EXCL, left, map,
				       "add elements");

		for (; left > 0; left--, i++)
			put_element(b, &elements[i]);
		batch_end(b, list);
	}
}

void ruleset_delete_element(struct batch *b, const struct ipaddr *address)
{
	struct nlattr *list = begin_elements(b, NFT_MSG_DELSETELEM, 0, 1,
					     ruleset_map(address->family), "delete element");
	struct nlattr *elem = batch_nest(b, NFTA_LIST_ELEM);

	put_key(b, address);
	batch_end(b, elem);
	batch_end(b, list);
}

void ruleset_flush_chain(struct batch *b, const char *chain)
{
	batch_begin(b, NFT_MSG_DELRULE, 0, 128, "flush chain %s", chain);
	batch_put_string(b, NFTA_RULE_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_RULE_CHAIN, chain);
}

void ruleset_flush_set(struct batch *b, const char *set)
{
	batch_begin(b, NFT_MSG_DELSETELEM, 0, 128, "flush set %s", set);
	batch_put_string(b, NFTA_SET_ELEM_LIST_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_SET_ELEM_LIST_SET, set);
}

void ruleset_delete_chain(struct batch *b, const char *chain)
{
	batch_begin(b, NFT_MSG_DELCHAIN, 0, 128, "delete chain %s", chain);
	batch_put_string(b, NFTA_CHAIN_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_CHAIN_NAME, chain);
}

void ruleset_delete_set(struct batch *b, const char *set)
{
	batch_begin(b, NFT_MSG_DELSET, 0, 128, "delete set %s", set);
	batch_put_string(b, NFTA_SET_TABLE, RULESET_TABLE);
	batch_put_string(b, NFTA_SET_NAME, set);
}

void ruleset_delete_table(struct batch *b)
{
	batch_begin(b, NFT_MSG_DELTABLE, 0, 128, "delete table");
	batch_put_string(b, NFTA_TABLE_NAME, RULESET_TABLE);
}
