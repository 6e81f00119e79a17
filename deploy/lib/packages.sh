# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Installs what deploy/packages lists. Needs terminal.sh, and LOG set to a file.

PACKAGES_LIST=$(dirname -- "${BASH_SOURCE[0]}")/../packages

# packages_for PURPOSE...: the packages that any of these purposes needs, one a line.
packages_for() {
	awk -v purposes="$*" '
		BEGIN { n = split(purposes, p, " "); for (i = 1; i <= n; i++) wanted[p[i]] = 1 }
		/^#/ { next }
		{ for (i = 2; i <= NF; i++) if ($i in wanted) { print $1; next } }' "$PACKAGES_LIST"
}

# packages_missing PURPOSE...: those of them that are not installed.
packages_missing() {
	local name
	while read -r name; do
		[[ $(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) == installed ]] ||
			printf '%s\n' "$name"
	done < <(packages_for "$@")
}

# The names in our list are Debian 12's. Elsewhere we say what is needed and touch nothing.
packages_require_debian() {
	local id='' version='' like=''
	if [[ -r /etc/os-release ]]; then
		id=$(. /etc/os-release && printf '%s' "${ID:-}")
		version=$(. /etc/os-release && printf '%s' "${VERSION_ID:-}")
		like=$(. /etc/os-release && printf '%s' "${PRETTY_NAME:-}")
	fi
	[[ $id == debian && $version == 12 && -x /usr/bin/apt-get ]] && return 0
	{
		printf '%s knows how to install packages on Debian 12 only; this is %s.\n' \
			"$PROGRAM" "${like:-another system}"
		printf 'Needed, by their names in Debian 12:\n'
		packages_for "$@" | sort | paste -sd ' ' | fold -s -w 76 | sed 's/^/    /'
	} >&2
	exit 2
}

# Nobody is asked anything and nothing is removed. No package of the list starts a service: those that
# would (container runtimes) are never installed, see "unpacked" in the list.
packages_apt() {
	DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 apt-get -y --no-install-recommends \
		--no-remove -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 "$@"
}

# packages_install PURPOSE...: installs what is missing of them, and says so.
packages_install() {
	local missing
	mapfile -t missing < <(packages_missing "$@")
	if ((${#missing[@]} == 0)); then
		good "all $(packages_for "$@" | wc -l) packages are there"
		return 0
	fi
	printf '  to install: %s\n' "${missing[*]}" | fold -s -w 78 | sed '2,$s/^/    /'
	with_progress 'package lists' packages_apt update &&
		with_progress "installing ${#missing[@]} packages" packages_apt install "${missing[@]}"
}
