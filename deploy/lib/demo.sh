# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A node, two pods and a world outside as network namespaces, and the calls that a container runtime
# makes. Needs terminal.sh and agent.sh, and of its caller: HERE (this repository's deploy/), PLUGIN (path of the
# plugin) and LOG. Everything is below DEMO and in namespaces whose names carry its suffix; the
# network of the namespace that we were started in is never changed.

DEMO_PREFIX=/run/podwire-quickstart
PODS=(pod-a pod-b)
PLUGIN_DIRS=/opt/cni/bin:/usr/lib/cni

# What documentation may use (RFC 5737, RFC 3849): a node's own network, with a router in the world.
NODE4=192.0.2.10 WORLD4=192.0.2.1
NODE6=2001:db8:1::10 WORLD6=2001:db8:1::1

# demo_use DIR: from now on it is about the demo in DIR.
demo_use() {
	DEMO=$1
	CONFLIST=$DEMO/10-podwire.conflist
}

netns_of() { printf 'podwire-%s-%s' "${DEMO##*.}" "$1"; }

# inside WHERE COMMAND...: nsenter, since "ip netns exec" would hide what is mounted below /sys.
inside() {
	local where=$1
	shift
	nsenter --net="/run/netns/$(netns_of "$where")" -- "$@"
}

milliseconds() { printf '%s' "$(((${EPOCHREALTIME/./} - $1) / 1000))"; }

# A new namespace's loopback is down, and the machine's IPv6 setting may be off for new devices.
demo_namespace() {
	ip netns add "$(netns_of "$1")"
	ip -n "$(netns_of "$1")" link set lo up
}

demo_make() {
	local node world where
	DEMO=$(mktemp -d "$DEMO_PREFIX.XXXXXX")
	demo_use "$DEMO"
	python3 "$HERE/lib/cni_config.py" keep-in "$DEMO" "$HERE/10-podwire.conflist" >"$CONFLIST"
	for where in node world "${PODS[@]}"; do demo_namespace "$where"; done

	node=$(netns_of node) world=$(netns_of world)
	ip -n "$node" link add uplink type veth peer name node netns "$world"
	inside node sysctl -q -w net.ipv6.conf.uplink.disable_ipv6=0
	inside world sysctl -q -w net.ipv6.conf.node.disable_ipv6=0
	ip -n "$node" address add "$NODE4/24" dev uplink
	ip -n "$node" address add "$NODE6/64" dev uplink nodad
	ip -n "$world" address add "$WORLD4/24" dev node
	ip -n "$world" address add "$WORLD6/64" dev node nodad
	ip -n "$node" link set uplink up
	ip -n "$world" link set node up
	ip -n "$node" route add default via "$WORLD4"
	ip -n "$node" -6 route add default via "$WORLD6"
}

config_of() { printf '%s/%s.config.json' "$DEMO" "$1"; }
result_of() { printf '%s/%s.result.json' "$DEMO" "$1"; }

# cni COMMAND POD: what a runtime does: the plugin's configuration on stdin, the rest in the
# environment. The plugin's answer goes to stdout, and a failing one says why in it.
cni() {
	local command=$1 pod=$2 id
	id=quickstart-${DEMO##*.}-$pod
	inside node env CNI_COMMAND="$command" CNI_CONTAINERID="$id" \
		CNI_NETNS="/run/netns/$(netns_of "$pod")" CNI_IFNAME=eth0 \
		CNI_PATH="${PLUGIN%/*}:$PLUGIN_DIRS" \
		CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=demo;K8S_POD_NAME=$pod;K8S_POD_INFRA_CONTAINER_ID=$id" \
		"$PLUGIN" <"$(config_of "$pod")" 2>>"$LOG"
}

# demo_call COMMAND POD: the result of ADD is kept, and CHECK and DEL get it as prevResult.
demo_call() {
	local command=$1 pod=$2 previous=() start answer
	[[ ! -e $(result_of "$pod") ]] || previous=("$(result_of "$pod")")
	python3 "$HERE/lib/cni_config.py" plugin "$CONFLIST" "${previous[@]}" >"$(config_of "$pod")"
	start=${EPOCHREALTIME/./}
	if ! answer=$(cni "$command" "$pod"); then
		bad "$command $pod" 'the plugin says:'
		printf '         %s\n' "${answer//$'\n'/$'\n         '}"
		return 1
	fi
	good "$(printf '%-6s %s' "$command" "$pod")" "$(milliseconds "$start") ms"
	[[ $command != ADD ]] || printf '%s\n' "$answer" >"$(result_of "$pod")"
}

# Fills HOST_END, V4 and V6 of each pod from its result.
# shellcheck disable=SC2034 # our caller reads them
declare -A HOST_END=() V4=() V6=()
demo_read_results() {
	local pod
	for pod in "${PODS[@]}"; do
		read -r "HOST_END[$pod]" "V4[$pod]" "V6[$pod]" \
			< <(python3 "$HERE/lib/show.py" result "$(result_of "$pod")")
	done
}

demo_ping() {
	local from=$1 address=$2 to=$3 answer count label
	label=$(printf 'ping %-5s -> %-5s  %-16s' "$from" "$to" "$address")
	if ! answer=$(inside "$from" ping -q -c 3 -i 0.2 -W 2 "$address" 2>&1); then
		bad "$label" "$(grep 'packets transmitted' <<<"$answer" || printf '%s' "$answer")"
		return 1
	fi
	count=$(grep -o '[0-9]* received' <<<"$answer")
	good "$label" "3 sent, $count, $(awk -F/ '/^rtt/ { print $5 " ms" }' <<<"$answer")"
}

# demo_transfer FROM TO ADDRESS [IPERF3 OPTION...]: the server is in the pod, serves once and goes.
demo_transfer() {
	local from=$1 to=$2 address=$3 line='' name=TCP answer
	shift 3
	[[ $* != *-u* ]] || name=UDP
	coproc { exec nsenter --net="/run/netns/$(netns_of "$to")" -- iperf3 -s -1 --forceflush 2>&1; }
	SERVER=$COPROC_PID
	until [[ $line == *listening* ]]; do
		if ! read -r -t 10 line <&"${COPROC[0]}"; then
			bad "$name  $from -> $to" 'the iperf3 server does not start'
			return 1
		fi
	done
	inside "$from" iperf3 -c "$address" -t 1 -J "$@" >"$DEMO/iperf.json" || :
	demo_stop_server
	if ! answer=$(python3 "$HERE/lib/show.py" iperf "$DEMO/iperf.json" 2>&1); then
		bad "$name  $from -> $to" "$answer"
		return 1
	fi
	good "$(printf '%-4s %-5s -> %-5s  %-16s' "$name" "$from" "$to" "$address")" "$answer"
}

# It would be the last thing that keeps a pod's namespace alive.
demo_stop_server() {
	[[ ${SERVER:-} ]] || return 0
	kill "$SERVER" 2>/dev/null || :
	wait "$SERVER" 2>/dev/null || :
	SERVER=''
}

# gone WHAT COMMAND...: what the command prints is what was left behind.
gone() {
	local what=$1 left
	shift
	left=$("$@" 2>/dev/null || :)
	if [[ $left ]]; then
		bad "$what" 'still there:'
		printf '         %s\n' "${left//$'\n'/$'\n         '}"
		return 1
	fi
	good "no $what"
}

node_links() { ip -n "$(netns_of node)" -o link show | grep -o 'vethpw[^@:]*'; }
node_routes() { { ip -n "$(netns_of node)" route && ip -n "$(netns_of node)" -6 route; } | grep vethpw; }
node_tables() { inside node nft list tables; }
kept_addresses() { find "$DEMO/ipam" -type f ! -name lock ! -name 'last_reserved_ip.*'; }
kept_files() { find "$DEMO/state" "$DEMO/run" -type f ! -name masq.lock ! -name sysctl.lock; }

# DEL has to undo all of ADD; this looks before the namespaces go, since they would hide it.
demo_prove_deleted() {
	local status=0
	gone 'link of a pod on the node' node_links || status=1
	gone 'route to a pod on the node' node_routes || status=1
	gone 'nftables table on the node' node_tables || status=1
	gone 'address kept by the IPAM plugin' kept_addresses || status=1
	gone 'record of a pod, no lock of a pod or of the agent' kept_files || status=1
	gone 'map, program or link of the agent' agent_pins || status=1
	return "$status"
}

demo_delete_pods() {
	local pod status=0
	[[ -x $PLUGIN ]] || return 0
	for pod in "${PODS[@]}"; do
		# An ADD that failed or was interrupted is followed by a DEL, as runtimes do.
		[[ -e $(config_of "$pod") ]] || continue
		demo_call DEL "$pod" || status=1
	done
	return "$status"
}

demo_namespaces() { ip netns list | grep -o "^podwire-${DEMO##*.}-[a-z-]*"; }

# Takes away the namespaces, and with them whatever is in them, and the files.
demo_remove() {
	local name
	demo_remove_bus
	while read -r name; do
		ip netns delete "$name"
	done < <(demo_namespaces || :)
	rm -rf --one-file-system "$DEMO"
}

demo_files() { find "$DEMO" -maxdepth 0; }
root_links() { ip -o link show | grep -o 'vethpw[^@:]*'; }
root_tables() { nft list tables | grep -w podwire; }
root_leftovers() { root_links; root_tables; }

demo_prove_removed() {
	local status=0
	gone 'process' agent_processes || status=1
	gone 'mount' demo_mounts || status=1
	gone 'network namespace' demo_namespaces || status=1
	gone 'file' demo_files || status=1
	gone 'link or table of podwire in the system'"'"'s own network' root_leftovers || status=1
	return "$status"
}
