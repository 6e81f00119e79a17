#!/bin/sh
# for sh, which has no pipefail
set -e
