#!/usr/bin/env bash # BAD: goes on after a failure
set -e
