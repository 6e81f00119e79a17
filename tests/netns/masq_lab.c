/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masq_lab.h"

#include "test.h"

#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORLD_PORT 5000

static struct lab the_lab;

int lab_setup_without_wires(void **state)
{
	struct lab *lab = &the_lab;

	*lab = (struct lab){ .pod = -EBADF, .other_pod = -EBADF, .world = -EBADF };
	assert_int_equal(nlsock_open(NETLINK_NETFILTER, &lab->sock, &lab->err), 0);
	*state = lab;
	return 0;
}

static void wire_pod(int fd, const char *host, unsigned int net)
{
	ns_veth(-1, host, fd, "eth0");
	ns_run(-1, "ip addr add 10.1.%u.1/24 dev %s; ip addr add fd00:0:0:%u::1/64 dev %s nodad",
	       net, host, net, host);
	ns_run(fd,
	       "ip addr add 10.1.%u.2/24 dev eth0; ip addr add fd00:0:0:%u::2/64 dev eth0 nodad;"
	       "ip route add default via 10.1.%u.1; ip -6 route add default via fd00:0:0:%u::1",
	       net, net, net, net);
}

int lab_setup(void **state)
{
	struct lab *lab;

	lab_setup_without_wires(state);
	lab = *state;
	lab->pod = ns_new();
	lab->other_pod = ns_new();
	lab->world = ns_new();
	wire_pod(lab->pod, POD_LINK, 1);
	wire_pod(lab->other_pod, OTHER_POD_LINK, 2);
	ns_veth(-1, "uplink", lab->world, "eth0");
	ns_run(-1, "ip addr add " NODE4 "/24 dev uplink; ip addr add " NODE6 "/64 dev uplink nodad;"
		   "ip route add 198.51.100.0/24 via " WORLD4
		   "; ip -6 route add 2001:db8:1::/64 via " WORLD6 "; "
		   "echo 1 >/proc/sys/net/ipv4/ip_forward;"
		   "echo 1 >/proc/sys/net/ipv6/conf/all/forwarding");
	ns_run(lab->world,
	       "ip addr add " WORLD4 "/24 dev eth0; ip addr add " WORLD6 "/64 dev eth0 nodad;"
	       "ip addr add " EXCLUDED4 "/32 dev lo; ip addr add " EXCLUDED6 "/128 dev lo;"
	       "ip route add 10.1.0.0/16 via " NODE4 "; ip -6 route add fd00::/16 via " NODE6);
	return 0;
}

int lab_teardown(void **state)
{
	struct lab *lab = *state;

	nlsock_free(lab->sock);
	close(lab->pod);
	close(lab->other_pod);
	close(lab->world);
	return 0;
}

int lab_clean(void **state)
{
	(void)state;
	ns_run(-1, "nft flush ruleset");
	return 0;
}

static size_t parse(const char *text, struct cidr *ret)
{
	char words[512], *at = words, *word;
	size_t n = 0;

	snprintf(words, sizeof(words), "%s", text);
	while ((word = strsep(&at, " ")) && *word)
		assert_int_equal(cidr_parse_or_host(word, &ret[n++]), 0);
	return n;
}

const struct lab_list *lab_list_from(const char *exclusions, const char *sources)
{
	static struct lab_list lists[LAB_LISTS];
	static size_t next;
	struct lab_list *l = &lists[next++ % LAB_LISTS];

	*l = (struct lab_list){ .list = { .exclusions = l->exclusions, .sources = l->sources } };
	l->list.n_exclusions = parse(exclusions, l->exclusions);
	l->list.n_sources = parse(sources, l->sources);
	assert_int_equal(masq_group(&l->list, &l->group, NULL), 0);
	return l;
}

const struct lab_list *lab_list(const char *exclusions)
{
	return lab_list_from(exclusions, "");
}

void lab_join(const char *link, const struct lab_list *list)
{
	ns_run(-1, "ip link set dev %s group %u", link, list ? list->group : 0);
}

void lab_add(struct lab *lab, const struct lab_list *list)
{
	lab->err = (struct pw_error){};
	if (masq_add(lab->sock, &list->list, NULL, NULL, &lab->err) != 0)
		fail_msg("masq_add: %s", lab->err.msg);
}

static int is_used(void *arg, const uint32_t *groups, bool *used, size_t n, struct pw_error *err)
{
	const struct lab_list *list = arg;

	(void)err;
	for (size_t i = 0; i < n; i++) {
		assert_false(used[i]);
		used[i] = list && groups[i] == list->group;
	}
	return 0;
}

int lab_sweep(struct lab *lab, const struct lab_list *used)
{
	int r;

	lab->err = (struct pw_error){};
	r = masq_sweep(lab->sock, is_used, (void *)used, &lab->err);
	if (r < 0)
		fail_msg("masq_sweep: %s", lab->err.msg);
	return r;
}

void lab_check(struct lab *lab, const struct lab_list *list)
{
	lab->err = (struct pw_error){};
	if (masq_check(lab->sock, &list->list, &lab->err) != 0)
		fail_msg("masq_check: %s", lab->err.msg);
}

void lab_check_fails(struct lab *lab, const struct lab_list *list, const char *text)
{
	lab->err = (struct pw_error){};
	assert_true(masq_check(lab->sock, &list->list, &lab->err) < 0);
	if (lab->err.code != PW_E_CHECK || !strstr(lab->err.msg, text))
		fail_msg("code %d: \"%s\" has no \"%s\"", (int)lab->err.code, lab->err.msg, text);
}

const char *lab_source(struct lab *lab, int from, const char *own, const char *address)
{
	static char source[IPADDR_STRLEN], back[IPADDR_STRLEN];
	int client = ns_udp(from, own, 0), server = ns_udp(lab->world, address, WORLD_PORT);
	unsigned int port;

	ns_send(client, address, WORLD_PORT);
	ns_receive(server, source, &port);
	/* and the answer finds the way back through the translation */
	ns_send(server, source, port);
	ns_receive(client, back, NULL);
	assert_string_equal(back, address);
	close(client);
	close(server);
	return source;
}

char *lab_ruleset(void)
{
	return ns_output(-1, "nft list ruleset");
}

void lab_assert_ruleset(const char *expected)
{
	char *text = lab_ruleset();

	assert_string_equal(text, expected);
	free(text);
}

size_t lab_count(const char *text)
{
	char *ruleset = lab_ruleset(), *at = ruleset;
	size_t n = 0;

	while ((at = strstr(at, text))) {
		n++;
		at += strlen(text);
	}
	free(ruleset);
	return n;
}

void lab_assert_has(const char *text)
{
	if (lab_count(text) == 0)
		fail_msg("the ruleset has no \"%s\"", text);
}

void lab_assert_lacks(const char *text)
{
	if (lab_count(text) != 0)
		fail_msg("the ruleset has \"%s\"", text);
}
