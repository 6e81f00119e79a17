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
	wire_pod(lab->pod, "vethpod1", 1);
	wire_pod(lab->other_pod, "vethpod2", 2);
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

struct lab_pod *lab_pod(const char *owner, const char *addresses, const char *exclusions)
{
	static struct lab_pod pods[LAB_PODS];
	static size_t next;
	struct lab_pod *p = &pods[next++ % LAB_PODS];
	char list[512], *at = list, *word;

	*p = (struct lab_pod){
		.pod = { .owner = p->owner, .addresses = p->addresses, .exclusions = p->exclusions }
	};
	snprintf(p->owner, sizeof(p->owner), "%s", owner);

	snprintf(list, sizeof(list), "%s", addresses);
	while ((word = strsep(&at, " ")) && *word)
		assert_int_equal(ipaddr_parse(word, &p->addresses[p->pod.n_addresses++]), 0);
	at = list;
	snprintf(list, sizeof(list), "%s", exclusions);
	while ((word = strsep(&at, " ")) && *word)
		assert_int_equal(cidr_parse_or_host(word, &p->exclusions[p->pod.n_exclusions++]),
				 0);
	return p;
}

void lab_add(struct lab *lab, const struct lab_pod *pod)
{
	lab->err = (struct pw_error){};
	if (masq_add(lab->sock, &pod->pod, NULL, NULL, &lab->err) != 0)
		fail_msg("masq_add: %s", lab->err.msg);
}

int lab_remove(struct lab *lab, const char *owner, const char *addresses)
{
	struct lab_pod *pod = lab_pod(owner, addresses ? addresses : "", "");
	int r;

	lab->err = (struct pw_error){};
	r = masq_remove(lab->sock, owner, pod->addresses, pod->pod.n_addresses, &lab->err);
	if (r < 0)
		fail_msg("masq_remove: %s", lab->err.msg);
	return r;
}

void lab_check(struct lab *lab, const struct lab_pod *pod)
{
	lab->err = (struct pw_error){};
	if (masq_check(lab->sock, &pod->pod, &lab->err) != 0)
		fail_msg("masq_check: %s", lab->err.msg);
}

void lab_check_fails(struct lab *lab, const struct lab_pod *pod, const char *text)
{
	lab->err = (struct pw_error){};
	assert_true(masq_check(lab->sock, &pod->pod, &lab->err) < 0);
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
