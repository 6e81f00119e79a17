# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# How our commands talk to a person: titles, results, and progress on what takes long. 80 columns;
# colour and redrawn lines on a terminal only. A caller sets PROGRAM, its name in messages, and LOG, the
# file that with_progress writes to.

COLUMNS_USED=80
BOLD='' DIM='' RED='' GREEN='' YELLOW='' PLAIN='' RULE='-' TICK='ok' CROSS='FAILED'
if [[ -t 1 && ${TERM:-dumb} != dumb ]]; then
	REDRAW=yes
	if [[ -z ${NO_COLOR:-} ]]; then
		BOLD=$'\e[1m' DIM=$'\e[2m' RED=$'\e[31m' GREEN=$'\e[32m' YELLOW=$'\e[33m'
		PLAIN=$'\e[0m'
	fi
else
	REDRAW=''
fi
if [[ $(locale charmap 2>/dev/null) == UTF-8 ]]; then
	RULE='─'
fi

# title TEXT: opens a section.
title() {
	local fill=$((COLUMNS_USED - ${#1} - 4)) line=''
	while ((fill-- > 0)); do line+=$RULE; done
	printf '\n%s%s%s %s%s %s%s%s\n' "$DIM" "$RULE$RULE" "$PLAIN" "$BOLD" "$1" "$PLAIN$DIM" "$line" "$PLAIN"
}

# good TEXT [REMARK] / bad TEXT [REMARK]: one result each.
good() { printf '  %s%-6s%s %s\n' "$GREEN" "$TICK" "$PLAIN" "$1${2:+$DIM  $2$PLAIN}"; }
bad() { printf '  %s%-6s%s %s\n' "$RED" "$CROSS" "$PLAIN" "$1${2:+  $2}"; }
note() { printf '  %s%s%s\n' "$YELLOW" "$1" "$PLAIN"; }

die() {
	printf '%s%s: %s%s\n' "$RED" "$PROGRAM" "$1" "$PLAIN" >&2
	exit "${2:-1}"
}

# Redraws the line with the seconds so far and what the log says last, until it is killed.
progress_ticker() {
	local label=$1 start=$SECONDS last room
	while sleep 0.5; do
		last=$(tail -c 400 "$LOG" | tr '\r' '\n' | tr -cd '\n\40-\176' | sed '/^ *$/d' | tail -n 1)
		room=$((COLUMNS_USED - ${#label} - 20))
		((room > 0)) || room=1
		printf '\r\e[K  %-6s %s %s%s%s' "$((SECONDS - start)) s" "$label" "$DIM" "${last:0:room}" "$PLAIN"
	done
}

# with_progress LABEL COMMAND...: its output goes to LOG, and is shown only when it fails. The
# command stays in the foreground, so that Ctrl-C reaches it.
with_progress() {
	local label=$1 start=$SECONDS ticker='' status=0
	shift
	printf '\n+ %s\n' "$*" >>"$LOG"
	if [[ $REDRAW ]]; then
		progress_ticker "$label" &
		ticker=$!
	else
		printf '  ...    %s\n' "$label"
	fi
	"$@" >>"$LOG" 2>&1 </dev/null || status=$?
	if [[ $ticker ]]; then
		kill "$ticker" 2>/dev/null || :
		wait "$ticker" 2>/dev/null || :
		printf '\r\e[K'
	fi
	if ((status == 0)); then
		good "$label" "$((SECONDS - start)) s"
		return 0
	fi
	bad "$label" "exit status $status; the end of $LOG:"
	tail -n 30 "$LOG" | sed 's/^/    /'
	return "$status"
}
