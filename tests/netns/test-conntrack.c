/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pod's UDP entries go with it, and nothing else does. */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conntrack/conntrack.h"
#include "masq_lab.h"

#define SERVICE4 "10.96.0.1"
#define SERVICE6 "fd96::1"
#define POD_PORT 5353
#define SERVICE_PORT 53

/* A service whose only endpoint is @pod4, @pod6, as kube-proxy has it. */
static void serve(const char *pod4, const char *pod6)
{
	ns_run(-1,
	       "nft 'flush ruleset; add table inet svc; add chain inet svc pre "
	       "{ type nat hook prerouting priority -100; }; "
	       "add rule inet svc pre ip daddr " SERVICE4 " udp dport 53 dnat ip to %s:5353; "
	       "add rule inet svc pre ip6 daddr " SERVICE6 " udp dport 53 dnat ip6 to [%s]:5353'",
	       pod4, pod6);
}

static int clean(void **state)
{
	ns_run(-1, "conntrack -F 2>/dev/null");
	return lab_clean(state);
}

static int flush(struct lab *lab, const char *addresses)
{
	const struct lab_list *list = lab_list(addresses);
	struct ipaddr ips[TEST_COUNT(list->exclusions)];
	int r;

	for (size_t i = 0; i < list->list.n_exclusions; i++)
		ips[i] = list->exclusions[i].ip;

	lab->err = (struct pw_error){};
	r = conntrack_flush_udp(lab->sock, ips, list->list.n_exclusions, &lab->err);
	if (r < 0)
		fail_msg("%s", lab->err.msg);
	return r;
}

/* How many entries conntrack lists with these options. */
static int count(const char *options)
{
	char *text = ns_output(-1, "conntrack -L %s 2>/dev/null | wc -l", options);
	int n = (int)strtol(text, NULL, 10);

	free(text);
	return n;
}

static void exchange(int client, const char *address, unsigned int port, int server)
{
	char source[IPADDR_STRLEN];

	ns_send(client, address, port);
	ns_answer(server);
	ns_receive(client, source, NULL);
}

static void a_client_reaches_the_next_pod(void **state)
{
	struct lab *lab = *state;
	static const struct {
		const char *service, *client, *world, *pod;
	} families[] = {
		{ SERVICE4, OTHER_POD4, WORLD4, POD4 },
		{ SERVICE6, OTHER_POD6, WORLD6, POD6 },
	};

	for (size_t i = 0; i < TEST_COUNT(families); i++) {
		int client = ns_udp(lab->other_pod, families[i].client, 0);
		int old = ns_udp(lab->pod, families[i].pod, POD_PORT);
		int next = ns_udp(lab->world, families[i].world, POD_PORT);
		char source[IPADDR_STRLEN];

		serve(POD4, POD6);
		exchange(client, families[i].service, SERVICE_PORT, old);
		serve(WORLD4, WORLD6);

		/* the kernel goes on with what it remembers */
		exchange(client, families[i].service, SERVICE_PORT, old);
		assert_int_equal(flush(lab, POD4 " " POD6), 1);
		exchange(client, families[i].service, SERVICE_PORT, next);
		ns_send(client, families[i].service, SERVICE_PORT);
		ns_receive(next, source, NULL);
		ns_silent(old);
		assert_int_equal(flush(lab, POD4 " " POD6), 0);
		close(client);
		close(old);
		close(next);
		clean(state);
	}
}

static void what_the_pod_began_goes(void **state)
{
	struct lab *lab = *state;
	int pod = ns_udp(lab->pod, POD4, 0), pod6 = ns_udp(lab->pod, POD6, 0);
	int world = ns_udp(lab->world, WORLD4, 1000), world6 = ns_udp(lab->world, WORLD6, 1000);

	serve(POD4, POD6);
	lab_join(POD_LINK, lab_list("")); /* masqueraded ones too */
	lab_add(lab, lab_list(""));
	exchange(pod, WORLD4, 1000, world);
	exchange(pod6, WORLD6, 1000, world6);
	ns_send(pod, WORLD4, 1001); /* unanswered */
	assert_int_equal(count("-f ipv4 -p udp -s " POD4), 2);
	assert_int_equal(count("-f ipv6 -p udp -s " POD6), 1);
	assert_int_equal(flush(lab, POD4), 2);
	assert_int_equal(count("-f ipv4 -p udp -s " POD4), 0);
	assert_int_equal(count("-f ipv6 -p udp -s " POD6), 1);
	assert_int_equal(flush(lab, POD6), 1);
	assert_int_equal(count("-f ipv6 -p udp -s " POD6), 0);
	close(pod);
	close(pod6);
	close(world);
	close(world6);
}

static void tcp_and_other_pods_stay(void **state)
{
	struct lab *lab = *state;
	int other = ns_udp(lab->other_pod, OTHER_POD4, 0);
	int other6 = ns_udp(lab->other_pod, OTHER_POD6, 0);
	int world = ns_udp(lab->world, WORLD4, 1000), world6 = ns_udp(lab->world, WORLD6, 1000);
	int pod = ns_udp(lab->pod, POD4, 1000);

	serve(POD4, POD6);
	exchange(other, WORLD4, 1000, world);
	exchange(other6, WORLD6, 1000, world6);
	ns_run(-1, "conntrack -I -p tcp -s " POD4 " -d " WORLD4
		   " --sport 1 --dport 2 --state ESTABLISHED -t 60 >/dev/null 2>&1;"
		   "conntrack -I -p tcp -s " OTHER_POD4 " -d " SERVICE4 " --dst-nat " POD4
		   " --sport 3 --dport 4 --state ESTABLISHED -t 60 >/dev/null 2>&1;"
		   "conntrack -I -p tcp -s " POD6 " -d " WORLD6
		   " --sport 1 --dport 2 --state ESTABLISHED -t 60 >/dev/null 2>&1");
	/* the pod is who was addressed, but not who answers: the service's own business */
	ns_run(-1, "conntrack -I -p udp -s " OTHER_POD4 " -d " POD4 " --dst-nat " WORLD4
		   " --sport 5 --dport 6 -t 60 >/dev/null 2>&1");
	exchange(other, POD4, 1000, pod);
	assert_int_equal(flush(lab, POD4 " " POD6), 1); /* the last */

	assert_int_equal(count("-f ipv4 -p tcp"), 2);
	assert_int_equal(count("-f ipv6 -p tcp"), 1);
	assert_int_equal(count("-f ipv4 -p udp -s " OTHER_POD4 " -d " WORLD4), 1);
	assert_int_equal(count("-f ipv4 -p udp -s " OTHER_POD4 " -d " POD4 " -r " WORLD4), 1);
	assert_int_equal(count("-f ipv4 -p udp"), 2);
	assert_int_equal(count("-f ipv6 -p udp -s " OTHER_POD6), 1);
	close(other);
	close(other6);
	close(world);
	close(world6);
	close(pod);
}

static void entries_of_any_zone_go(void **state)
{
	struct lab *lab = *state;

	ns_run(-1, "for zone in 0 7; do conntrack -I -p udp -s " POD4 " -d " WORLD4
		   " --sport 5 --dport 6 -t 60 -w $zone >/dev/null 2>&1; done");
	assert_int_equal(count("-f ipv4 -p udp"), 2);
	assert_int_equal(flush(lab, POD4), 2);
	assert_int_equal(count("-f ipv4 -p udp"), 0);
}

static void send_from_many_ports(int fd, const char *own, const char *to, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		int sock = ns_udp(fd, own, 20000 + i);

		ns_send(sock, to, 9);
		close(sock);
	}
}

/* So many that the kernel is asked to filter. */
static void of_many_entries_the_right_ones_go(void **state)
{
	struct lab *lab = *state;
	int client = ns_udp(lab->other_pod, OTHER_POD4, 0);
	int server = ns_udp(lab->pod, POD4, POD_PORT);

	serve(POD4, POD6);
	send_from_many_ports(lab->pod, POD4, WORLD4, 2500);
	send_from_many_ports(lab->pod, POD6, WORLD6, 20);
	send_from_many_ports(lab->other_pod, OTHER_POD4, WORLD4, 30);
	send_from_many_ports(lab->other_pod, OTHER_POD6, WORLD6, 10);
	exchange(client, SERVICE4, SERVICE_PORT, server);
	ns_run(-1, "conntrack -I -p tcp -s " POD4 " -d " WORLD4
		   " --sport 1 --dport 2 --state ESTABLISHED -t 60 >/dev/null 2>&1");
	assert_int_equal(flush(lab, POD4 " " POD6), 2500 + 20 + 1);
	assert_int_equal(count("-f ipv4 -p udp"), 30);
	assert_int_equal(count("-f ipv6 -p udp"), 10);
	assert_int_equal(count("-f ipv4 -p tcp"), 1);
	close(client);
	close(server);
}

static void nothing_is_no_fault(void **state)
{
	struct lab *lab = *state;

	assert_int_equal(flush(lab, POD4 " " POD6), 0);
	assert_int_equal(flush(lab, ""), 0);
}

#define TEST(f) cmocka_unit_test_teardown(f, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_no_fault),     TEST(a_client_reaches_the_next_pod),
		TEST(what_the_pod_began_goes), TEST(tcp_and_other_pods_stay),
		TEST(entries_of_any_zone_go),  TEST(of_many_entries_the_right_ones_go),
	};
	int r = ns_isolate();

	if (r == 0)
		r = ns_need("ip", "nft", "conntrack", NULL);
	if (r != 0)
		return r;
	return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
