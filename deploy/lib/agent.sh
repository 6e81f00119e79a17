# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The node agent of the demonstration: podwired in the node's namespace, with a bus and a bpf file system
# of its own below DEMO. Needs demo.sh and terminal.sh, and of its caller: PODWIRED (path of the agent).
# AGENT is its pid; empty where it doesn't run, since this system doesn't let it: pods need none.

AGENT=''
BUS_NAME=org.podwire1 BUS_ROOT=/org/podwire1

daemon() { python3 "$HERE/lib/daemon.py" "$1" "$DEMO" "${@:2}"; }
bpffs() { printf '%s/bpf' "$DEMO"; }
bus_address() { printf 'unix:path=%s/bus.sock' "$DEMO"; }

# Everything that it would find in the system's own places is below DEMO; there is no agent.json.
agent_options() {
	printf '%s\n' --config "$DEMO/agent.json" --bus "$(bus_address)" --runtime-dir "$DEMO/run" \
		--state-dir "$DEMO/state" --bpffs "$(bpffs)/podwire"
}

# agent_start: prints its pid, or why it did not get ready.
agent_start() {
	local options
	mapfile -t options < <(agent_options)
	daemon start podwired nsenter --net="/run/netns/$(netns_of node)" -- "$PODWIRED" "${options[@]}" 2>&1
}

# without_agent WHY: no fault of podwire's.
without_agent() {
	note 'The agent can not run here:'
	printf '         %s\n' "$1"
	note 'The plugin needs no agent: the pods are wired, and talk, all the same.'
}

# What a kernel answers whoever may not use BPF, and one that hasn't got it.
is_forbidden() { [[ $1 == *': Operation not permitted' || $1 == *': Function not implemented' ]]; }

# The mount is made here and not by the agent: it has to outlive it.
demo_mount_bpffs() {
	local answer
	mkdir "$(bpffs)"
	if ! answer=$(mount -t bpf bpf "$(bpffs)" 2>&1); then
		without_agent "${answer//$'\n'/; }"
		return 1
	fi
	good 'a bpf file system of its own' "$(bpffs)"
}

demo_start_bus() {
	local answer
	if ! answer=$(daemon start dbus-daemon dbus-daemon --config-file="$HERE/lib/bus.conf" --nofork \
		--nopidfile --address="$(bus_address)" 2>&1); then
		bad 'a bus of its own' "$answer"
		return 1
	fi
	good 'a bus of its own' "$(bus_address)"
}

demo_start_agent() {
	local start answer
	demo_mount_bpffs || return 0
	demo_start_bus
	start=${EPOCHREALTIME/./}
	if answer=$(agent_start); then
		AGENT=$answer
		# so that busctl asks there, here and in whatever the user starts with it
		export DBUS_SYSTEM_BUS_ADDRESS
		DBUS_SYSTEM_BUS_ADDRESS=$(bus_address)
		good 'podwired is ready' "pid $AGENT, $(milliseconds "$start") ms"
	elif is_forbidden "$answer"; then
		without_agent "$answer"
	else
		bad 'podwired' "$answer"
		return 1
	fi
}

# ask PATH INTERFACE METHOD [ARGUMENT...]: the answer as JSON.
ask() {
	busctl --json=short call "$BUS_NAME" "$1" "$BUS_NAME.$2" "${@:3}"
}

attachment_of() { ask "$BUS_ROOT" Manager GetAttachment s "demo/$1" | python3 "$HERE/lib/show.py" value; }
counters_of() { printf '%s/%s.%s.json' "$DEMO" "$1" "$2"; }

# demo_count WHEN: keeps each pod's counters, as of now.
demo_count() {
	local pod
	[[ $AGENT ]] || return 0
	for pod in "${PODS[@]}"; do
		ask "$(attachment_of "$pod")" Attachment GetStatistics >"$(counters_of "$pod" "$1")"
	done
}

demo_show_agent() {
	local pod path
	[[ $AGENT ]] || return 0
	title 'What the agent tells by D-Bus'
	printf '  busctl tree %s\n' "$BUS_NAME"
	busctl --no-pager tree "$BUS_NAME" | sed 's/^/    /'
	printf '  ListAttachments\n'
	ask "$BUS_ROOT" Manager ListAttachments | python3 "$HERE/lib/show.py" rows
	path=$(attachment_of pod-a)
	printf '  GetAttachment demo/pod-a\n    %s\n' "$path"
	printf '  its properties\n'
	busctl --json=short call "$BUS_NAME" "$path" org.freedesktop.DBus.Properties GetAll s \
		"$BUS_NAME.Attachment" | python3 "$HERE/lib/show.py" properties
	for pod in "${PODS[@]}"; do
		printf '  GetStatistics of %s, before it talked and after\n' "$pod"
		if ! python3 "$HERE/lib/show.py" counters "$(counters_of "$pod" before)" \
			"$(counters_of "$pod" after)"; then
			bad "$pod" 'its counters did not move'
			return 1
		fi
	done
}

# replies COUNT: waits for so many of the ping that writes to descriptor PING.
replies() {
	local line count=0
	while ((count < $1)); do
		if ! read -r -t 10 line <&"$PING"; then
			bad 'ping pod-a -> pod-b' 'no answer any more'
			return 1
		fi
		[[ $line != *'bytes from'* ]] || count=$((count + 1))
	done
}

# The agent dies as badly as it can while pod-a pings pod-b a hundred times a second.
demo_kill_agent() {
	local start answer sent received
	[[ $AGENT ]] || return 0
	title 'The agent is killed while they talk'
	coproc { exec nsenter --net="/run/netns/$(netns_of pod-a)" -- ping -n -i 0.01 "${V4[pod-b]}" 2>&1; }
	SERVER=$COPROC_PID
	exec {PING}<&"${COPROC[0]}"
	replies 100 || return 1
	daemon stop podwired KILL
	good 'kill -9 podwired' "pid $AGENT"
	replies 100 || return 1
	start=${EPOCHREALTIME/./}
	if ! answer=$(agent_start); then
		bad 'podwired' "$answer"
		return 1
	fi
	AGENT=$answer
	good 'podwired is back' "pid $AGENT, ready after $(milliseconds "$start") ms"
	replies 100 || return 1
	kill -INT "$SERVER"
	# what is left of its output ends with how it went
	read -r sent received < <(awk '/packets transmitted/ { print $1, $4 }' <&"$PING") || :
	exec {PING}<&-
	demo_stop_server
	if [[ ! $sent || $sent != "$received" ]]; then
		bad 'ping pod-a -> pod-b, all the while' "$sent sent, $received received"
		return 1
	fi
	good 'ping pod-a -> pod-b, all the while' "$sent sent, 0 lost"
	demo_show_adopted "$sent"
}

# demo_show_adopted SENT: its maps and programs stayed, and counted while nobody was there.
demo_show_adopted() {
	local added
	ask "$(attachment_of pod-a)" Attachment GetStatistics >"$(counters_of pod-a adopted)"
	added=$(python3 "$HERE/lib/show.py" difference in-packets "$(counters_of pod-a after)" \
		"$(counters_of pod-a adopted)")
	if ((added < $1)); then
		bad 'what was counted went on' "$added more packets from pod-a"
		return 1
	fi
	good 'what was counted went on' "$added more packets from pod-a since they talked"
}

# Takes it off the node as a user would. What it removes has to be gone before the bpf file system, which
# would hide what is left.
demo_remove_agent() {
	local status=0 options answer
	answer=$(daemon stop podwired 2>&1) || status=1
	[[ ! $answer ]] || bad 'podwired' "$answer"
	if mountpoint -q "$(bpffs)" && [[ -x $PODWIRED && -e /run/netns/$(netns_of node) ]]; then
		mapfile -t options < <(agent_options)
		if answer=$(inside node "$PODWIRED" "${options[@]}" --uninstall 2>&1); then
			good 'podwired --uninstall'
		else
			bad 'podwired --uninstall' "$answer"
			status=1
		fi
	fi
	return "$status"
}

# The rest of it: after this nobody can ask any more.
demo_remove_bus() {
	local answer
	answer=$(daemon stop dbus-daemon 2>&1) || bad 'dbus-daemon' "$answer"
	mountpoint -q "$(bpffs)" || return 0
	# a shell of somebody's may stand in there
	umount "$(bpffs)" 2>/dev/null || umount -l "$(bpffs)"
}

# (maps.debug and progs.debug are the kernel's own.)
agent_pins() { find "$(bpffs)" -mindepth 1 -fstype bpf ! -name '*.debug'; }
agent_processes() { daemon left podwired dbus-daemon; }
demo_mounts() { awk -v dir="$DEMO/" 'index($5, dir) == 1 { print $5 }' /proc/self/mountinfo; }
