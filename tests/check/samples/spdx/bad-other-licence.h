/* SPDX-License-Identifier: MIT, BAD */
